"""Fetching from the Hugging Face Hub and from ModelScope, through their own libraries.

Both keep a cache of their own, resume what was cut off, show a bar on the terminal's standard error and
stand several processes fetching the same at once. ModelScope is asked through ``modelscope_hub``, the part
of ``modelscope`` that does the fetching: the rest loads torch.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

from grga.errors import ModelError

NAMES = {"huggingface": "Hugging Face", "modelscope": "ModelScope"}
SKIPPED = ["*.onnx", "*.onnx_data", "onnx/*", "openvino/*", "*.h5", "*.msgpack", "*.ot", "*.tflite"]
"""The same weights once more, in formats that no backend reads; with some models, gigabytes."""


class UnreachableError(ModelError):
    """The hub does not answer: no network, a wrong address, or a hub that is down."""


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
        UnreachableError: the hub does not answer.
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
        kind, reason = _understood(error, revision)
        raise kind(
            f"the model {id} cannot be fetched from {NAMES[hub]}: {reason}",
            fix="check the name and the network, or give a path to a local copy",
        ) from error


def _understood(error: Exception, revision: str | None) -> tuple[type[ModelError], str]:
    """Return what a failed download was about, from the error and what lies beneath it."""
    chain = list(_beneath(error))
    names = {kind.__name__ for one in chain for kind in type(one).__mro__}
    if "OfflineModeIsEnabled" in names:
        return UnreachableError, "HF_HUB_OFFLINE switches the network off"
    if any(isinstance(one, (ConnectionError, TimeoutError, socket.gaierror)) for one in chain):
        return UnreachableError, "the hub cannot be reached"
    if any(isinstance(one, OSError) and one.errno == errno.ENOSPC for one in chain):
        return ModelError, "the disk is full"
    if "GatedRepoError" in names:
        return ModelError, "its conditions must be accepted there, and HF_TOKEN must be set"
    if "RevisionNotFoundError" in names:
        return ModelError, f"it has no revision {revision}"
    if names & {"RepositoryNotFoundError", "NotExistError"}:
        return ModelError, "there is no such model, or only for those with a token"
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return ModelError, lines[0].rstrip(".")


def _beneath(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and each that led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _from_huggingface(id: str, revision: str | None, cache: Path | None, local_only: bool) -> Path:
    from huggingface_hub import snapshot_download

    return Path(
        snapshot_download(
            id, revision=revision, cache_dir=cache, local_files_only=local_only, ignore_patterns=SKIPPED
        )
    )


def _from_modelscope(id: str, revision: str | None, cache: Path | None, local_only: bool) -> Path:
    try:
        from modelscope_hub import HubApi
    except ImportError:
        raise ModelError("the package modelscope is not installed", fix="pip install 'grga[full]'") from None
    # It says at each try what the error will say once.
    logging.getLogger("modelscope_hub").setLevel(logging.ERROR)
    return Path(
        HubApi().download_repo(
            id,
            "model",
            revision=revision,
            cache_dir=cache,
            local_files_only=local_only,
            ignore_patterns=SKIPPED,
        )
    )
