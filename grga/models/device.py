"""What models run on: a GPU when there is one, in half precision there, in batches that fit."""

from __future__ import annotations

import os

from grga.errors import ConfigError

CPU_SHARE = 0.25
GPU_SHARE = 0.6
"""How much of the free memory a batch may take."""


def torch_device(device: str = "auto") -> str:
    """Return the name of a torch device: "cpu", "cuda" or "cuda:1".

    Raises:
        ConfigError: torch knows no such device, or this machine has none.
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        chosen = torch.device(device)
    except RuntimeError:
        chosen = None
    if chosen is None or chosen.type not in ("cpu", "cuda"):
        raise ConfigError(f"there is no device {device!r}", expected="auto, cpu, cuda or cuda:1")
    if chosen.type == "cuda" and (chosen.index or 0) >= torch.cuda.device_count():
        raise ConfigError(f"this machine has no device {device!r}", fix="set models.device to cpu or auto")
    return device


def ctranslate_device(device: str = "auto") -> tuple[str, int]:
    """Return CTranslate2's name of a device ("cpu" or "cuda") and its index.

    Raises:
        ConfigError: this machine has no such device.
    """
    import ctranslate2

    count = ctranslate2.get_cuda_device_count()
    if device == "auto":
        return ("cuda" if count else "cpu"), 0
    kind, _, index = device.partition(":")
    if kind == "cpu":
        return "cpu", 0
    if kind != "cuda" or int(index or 0) >= count:
        raise ConfigError(f"this machine has no device {device!r}", fix="set models.device to cpu or auto")
    return "cuda", int(index or 0)


def is_gpu(device: str) -> bool:
    """Return whether a resolved device is a GPU: the only place where half precision pays."""
    return device.startswith("cuda")


def batch_size(device: str, bytes_per_item: float, most: int = 64) -> int:
    """Return how many items go through a model at once: at least 1, at most ``most``.

    Args:
        device: As :func:`torch_device` returns it.
        bytes_per_item: What one item takes at the widest point of the model.
        most: More do not make it faster.
    """
    fits = int(_free_bytes(device) / max(bytes_per_item, 1.0))
    return max(1, min(most, fits))


def _free_bytes(device: str) -> float:
    if is_gpu(device):
        import torch

        return GPU_SHARE * torch.cuda.mem_get_info(device)[0]
    return CPU_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
