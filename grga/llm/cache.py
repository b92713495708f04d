"""Replies kept on disk, one small JSON file each, so that the same question is paid for once."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


class ReplyCache:
    """A folder of accepted replies. Several processes may share it: files appear complete or not at all."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @staticmethod
    def key(**parts: Any) -> str:
        """Return the sha256 of everything that decides a reply: model, prompt version, full input."""
        return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()

    def get(self, key: str) -> str | None:
        """Return the kept text, None when there is none or its file is damaged."""
        try:
            text = json.loads(self._file(key).read_text("utf-8"))["text"]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return text if isinstance(text, str) else None

    def put(self, key: str, text: str, **about: Any) -> None:
        """Keep an accepted reply; ``about`` is for people who look into the folder."""
        file = self._file(key)
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=file.parent, suffix=".part")
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            json.dump({**about, "text": text}, stream, ensure_ascii=False)
        os.replace(draft, file)

    def _file(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"
