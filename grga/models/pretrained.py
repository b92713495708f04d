"""Parts of a model of the transformers library, from a folder that was found before; never from its hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from grga.errors import ModelError


def pretrained(folder: Path, *parts: str) -> list[Any]:
    """Return what the named classes of transformers ("AutoModel", "AutoTokenizer") read from ``folder``.

    Raises:
        ModelError: transformers is not installed, or one of them cannot be read there.
    """
    try:
        import transformers
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise ModelError(f"transformers cannot be used: {error}", fix="pip install 'grga[full]'") from error
    disable_progress_bar()  # type: ignore[no-untyped-call]
    try:
        return [
            getattr(transformers, part).from_pretrained(
                folder, local_files_only=True, trust_remote_code=False
            )
            for part in parts
        ]
    # Configuration, weights and tokens of somebody else: whatever is wrong with them ends here.
    except Exception as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise ModelError(
            f"the model in {folder} cannot be loaded: {lines[0].rstrip('.')}",
            fix="choose another, or get it again with `python -m grga models fetch`",
        ) from error
