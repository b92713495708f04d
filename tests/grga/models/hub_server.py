"""A server that speaks as much of the hubs' protocols (Hugging Face, ModelScope) as downloading a model takes.

Called with the folder of the repositories ("owner--model" below it) and, optionally, after how many bytes of the
first large file it drops the connection, and "die" if it is not to be heard of again. Prints "ready PORT".
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

ROOT, DROP_AFTER = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else None
DIES = "die" in sys.argv
COMMIT = "c" * 40
LARGE = 1000
asked: list[str] = []


def _etag(file: Path) -> str:
    """As the hub names content: SHA-256 for large files, git's name of a blob for small ones."""
    data = file.read_bytes()
    if len(data) > LARGE:
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        path = self.path.partition("?")[0]
        asked.append(f"{self.command} {path}")
        if path == "/asked":
            return self._send(json.dumps(asked).encode(), {})
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"] and len(parts) >= 4:
            folder = ROOT / f"{parts[2]}--{parts[3]}"
            if not folder.is_dir():
                return self._missing("RepoNotFound")
            if "tree" in parts:
                entries = [
                    {"type": "file", "path": file.name, "size": file.stat().st_size, "oid": _etag(file)}
                    for file in sorted(folder.iterdir())
                ]
                return self._send(json.dumps(entries).encode(), {"Content-Type": "application/json"})
            files = [{"rfilename": file.name} for file in sorted(folder.iterdir())]
            found = {"id": "/".join(parts[2:4]), "sha": COMMIT, "siblings": files, "private": False}
            return self._send(json.dumps(found).encode(), {"Content-Type": "application/json"})
        if len(parts) == 5 and parts[2] == "resolve":
            file = ROOT / f"{parts[0]}--{parts[1]}" / parts[4]
            if not file.is_file():
                return self._missing("EntryNotFound")
            headers = {"ETag": f'"{_etag(file)}"', "X-Repo-Commit": COMMIT}
            return self._file(file, headers, body=body)
        if parts[:3] == ["api", "v1", "models"] and len(parts) >= 6:
            return self._modelscope(ROOT / f"{parts[3]}--{parts[4]}", parts[5:], body=body)
        return self._missing("RepoNotFound")

    def _modelscope(self, folder: Path, asked_for: list[str], *, body: bool) -> None:
        query = parse_qs(urlsplit(self.path).query)
        if not folder.is_dir() or query.get("Revision", ["master"])[0] not in ("master", "v1.0"):
            return self._missing("RepoNotFound")
        if asked_for == ["repo", "files"]:
            files = [
                {
                    "Path": file.name,
                    "Type": "blob",
                    "Size": file.stat().st_size,
                    "Sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
                }
                for file in sorted(folder.iterdir())
            ]
            found = {"Code": 200, "Success": True, "Data": {"Files": files}}
            return self._send(json.dumps(found).encode(), {"Content-Type": "application/json"})
        if asked_for == ["repo"]:
            return self._file(folder / query["FilePath"][0], {}, body=body)
        return self._missing("RepoNotFound")

    def _file(self, file: Path, headers: dict[str, str], *, body: bool) -> None:
        global DROP_AFTER
        data = file.read_bytes()
        if not body:
            return self._send(data, headers, body=False)
        if (span := self.headers.get("Range", "")).startswith("bytes="):
            first = int(span[6:].split("-")[0])
            headers = {**headers, "Content-Range": f"bytes {first}-{len(data) - 1}/{len(data)}"}
            return self._send(data[first:], headers, status=206)
        if DROP_AFTER is not None and len(data) > DROP_AFTER:
            cut, DROP_AFTER = DROP_AFTER, None
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data[:cut])
            self.wfile.flush()
            if DIES:
                os._exit(1)
            self.close_connection = True
            return None
        return self._send(data, headers)

    def _send(self, data: bytes, headers: dict[str, str], *, status: int = 200, body: bool = True) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            self.wfile.write(data)

    def _missing(self, code: str) -> None:
        self.send_response(404)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
print("ready", server.server_address[1], flush=True)
server.serve_forever()
