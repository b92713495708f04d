"""Whether files in the Hugging Face Hub's cache still are what the hub sent.

The cache keeps each file under its checksum: SHA-256 for large files, git's SHA-1 of a blob for small ones
(https://huggingface.co/docs/huggingface_hub/guides/manage-cache). Other folders carry no checksums.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

BLOCK = 1 << 20


def damaged(folder: Path) -> list[str]:
    """Return the names of files whose content does not match the checksum that they are kept under.

    Reads every byte: about a second per gigabyte on a fast disk.
    """
    linked = [path for path in sorted(folder.rglob("*")) if path.is_symlink()]
    return [str(path.relative_to(folder)) for path in linked if not _matches(path.resolve())]


def _matches(blob: Path) -> bool:
    digests = {64: hashlib.sha256(), 40: hashlib.sha1(b"blob %d\0" % blob.stat().st_size)}
    digest = digests.get(len(blob.name))
    if digest is None:  # not a name that the cache gives
        return True
    with blob.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest() == blob.name
