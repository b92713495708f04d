"""Fetching from the Hugging Face Hub and from ModelScope, through their own libraries.

Both keep a cache of their own, resume what was cut off, show a bar on the terminal's standard error and
stand several processes fetching the same at once.
"""

from __future__ import annotations

import logging
from pathlib import Path

from grga.errors import ModelError

NAMES = {"huggingface": "Hugging Face", "modelscope": "ModelScope"}


def fetch(
    hub: str, id: str, *, revision: str | None = None, cache: Path | None = None, local_only: bool = False
) -> Path:
    """Return the folder of a model in the hub's cache, downloaded first where needed.

    Args:
        hub: "huggingface" or "modelscope".
        id: "owner/model".
        revision: Branch, tag or commit; None takes the hub's newest.
        cache: The hub's cache; None takes the library's usual one.
        local_only: Look only at what is there already.

    Raises:
        ModelError: not there, not to be had, or the hub's library is not installed.
    """
    try:
        if hub == "huggingface":
            return _from_huggingface(id, revision, cache, local_only)
        return _from_modelscope(id, revision, cache, local_only)
    except ModelError:
        raise
    # Both libraries raise whatever their transport raises; the reason is what a person needs.
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"the model {id} cannot be fetched from {NAMES[hub]}: {reason.rstrip('.')}",
            fix="check the name and the network, or give a path to a local copy",
        ) from error


def _from_huggingface(id: str, revision: str | None, cache: Path | None, local_only: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(id, revision=revision, cache_dir=cache, local_files_only=local_only))


def _from_modelscope(id: str, revision: str | None, cache: Path | None, local_only: bool) -> Path:
    try:
        from modelscope.hub.snapshot_download import snapshot_download
    except ImportError:
        raise ModelError("the package modelscope is not installed", fix="pip install 'grga[full]'") from None
    # It says at each try what the error will say once.
    logging.getLogger("modelscope_hub").setLevel(logging.ERROR)
    return Path(snapshot_download(id, revision=revision, cache_dir=cache, local_files_only=local_only))
