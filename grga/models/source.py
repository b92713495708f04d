"""Where weights come from and where they run, as the plain value that every backend takes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelSource:
    """See :class:`grga.config.ModelsConfig`, which people write.

    Attributes:
        folder: People's own copies: ``folder/NAME`` or ``folder/OWNER/MODEL``.
        hub: "huggingface", "modelscope", or "auto": whichever has the model, Hugging Face first.
        offline: Never use the network.
        device: "auto", "cpu", "cuda" or "cuda:1".
    """

    folder: Path | None = None
    hub: str = "auto"
    offline: bool = False
    device: str = "auto"
