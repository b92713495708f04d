"""An OpenAI-compatible server that answers from a script: a process of its own, speaking real HTTP.

    python scripted_server.py SCRIPT.json        prints "ready PORT" when it listens

The script is one object::

    {"model": "scripted", "json_schema": true, "audio": true, "audio_url": true,
     "replies": {"plan": [REPLY, …], "answer": […], "*": […]}}

A request's kind is the name of its JSON schema, wherever that stands (in ``response_format`` or in the
prompt); "*" serves all other kinds. Each request takes the next reply of its kind, the last one serves on.
A reply is an object that becomes the message's JSON, a text that becomes the message, or a fault::

    {"fault": "status", "code": 429, "message": "…"}    an error with this status
    {"fault": "stall"}                                  no answer until the server ends
    {"fault": "cut", "text": "{\"goal\": \"loo"}        finish_reason "length"
    {"fault": "hangup", "text": "…"}                    closes the connection, when streaming after the text
    {"fault": "die"}                                    the whole process is gone
    {"fault": "garbage"}                                half a chat completion
    {"fault": "page"}                                   a web page instead of a chat completion
    {"fault": "gullible", "orders": {…}, "reply": {…}}  ``orders`` if the instructions hold the words "ignore
                                                        your instructions" outside of any block of material

``GET /requests`` returns everything that was asked, with the most requests seen at one time.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SCRIPT: dict[str, Any] = {}
REQUESTS: list[dict[str, Any]] = []
STATE = {"now": 0, "most": 0}
TAKEN: dict[str, int] = {}
LOCK = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: Any) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        if self.path == "/requests":
            self.send(200, {"requests": REQUESTS, "most": STATE["most"]})
        elif self.path == "/v1/models":
            names = SCRIPT.get("models", [SCRIPT.get("model", "scripted")])
            data = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in names]
            self.send(200, {"object": "list", "data": data})
        else:
            self.fail(404, "no such page")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with LOCK:
            STATE["now"] += 1
            STATE["most"] = max(STATE["most"], STATE["now"])
        try:
            self.chat(body)
        finally:
            with LOCK:
                STATE["now"] -= 1

    def chat(self, body: dict[str, Any]) -> None:
        kind = kind_of(body)
        tries = int(self.headers.get("x-stainless-retry-count", 0))
        with LOCK:
            REQUESTS.append({"kind": kind, "try": tries, "body": body, "key": self.headers["Authorization"]})
        if "response_format" in body and not SCRIPT.get("json_schema", True):
            return self.fail(400, "response_format is not supported")
        for part in parts_of(body):
            name = part["type"]
            if name in ("input_audio", "audio_url") and not SCRIPT.get(
                {"input_audio": "audio"}.get(name, name), True
            ):
                return self.fail(400, f"content of type {name} is not supported")
        reply = take(kind)
        fault = reply.get("fault") if isinstance(reply, dict) else None
        if fault == "status":
            return self.fail(reply["code"], reply.get("message", "scripted failure"))
        if fault == "stall":
            threading.Event().wait()
        if fault == "die":
            os._exit(1)
        if fault == "page":
            return self.send(200, "<html>Welcome</html>", "text/html")
        if fault == "garbage":
            return self.send(200, '{"id": "scripted-1", "choices": [{"ind')
        if fault == "pause":
            threading.Event().wait(reply["seconds"])
            reply = reply["reply"]
        if fault == "gullible":
            reply = reply["orders"] if obeys(body) else reply["reply"]
        text = reply["text"] if fault in ("cut", "hangup") else reply
        text = text if isinstance(text, str) else json.dumps(text)
        if fault == "hangup" and not body.get("stream"):
            self.close_connection = True
            return self.connection.close()
        finish = "length" if fault == "cut" else "stop"
        if body.get("stream"):
            return self.stream(text, finish, broken=fault == "hangup")
        message = {"role": "assistant", "content": text}
        words = sum(len(str(part.get("text", ""))) for part in parts_of(body)) // 4
        usage = {"prompt_tokens": words, "completion_tokens": len(text) // 4, "total_tokens": 0}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        return self.send(200, completion("chat.completion", [choice], usage=usage))

    def stream(self, text: str, finish: str, *, broken: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in re.findall(r"\S+\s*", text):
            self.event({"index": 0, "delta": {"content": piece}, "finish_reason": None})
        if broken:
            self.close_connection = True
            return self.connection.close()
        self.event({"index": 0, "delta": {}, "finish_reason": finish})
        self.chunk("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")
        return None

    def event(self, choice: dict[str, Any]) -> None:
        self.chunk(f"data: {json.dumps(completion('chat.completion.chunk', [choice]))}\n\n")

    def chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def fail(self, status: int, message: str) -> None:
        self.send(status, {"error": {"message": message, "type": "scripted", "code": None}})

    def send(self, status: int, value: Any, kind: str = "application/json") -> None:
        data = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def completion(kind: str, choices: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return {"id": "scripted-1", "object": kind, "created": 0, "model": "scripted", "choices": choices, **more}


def parts_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    contents = [message["content"] for message in body["messages"]]
    parts: list[dict[str, Any]] = []
    for content in contents:
        parts += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts


def kind_of(body: dict[str, Any]) -> str:
    form = body.get("response_format")
    if form:
        return str(form["json_schema"]["name"])
    text = " ".join(part.get("text", "") for part in parts_of(body))
    named = re.search(r'JSON schema of "(\w+)"', text)
    return named[1] if named else "*"


def obeys(body: dict[str, Any]) -> bool:
    text = "\n".join(part.get("text", "") for part in parts_of(body))
    outside = re.sub(r"^<<<.*?^>>>$", "", text, flags=re.DOTALL | re.MULTILINE)
    return "ignore your instructions" in outside.lower()


def take(kind: str) -> Any:
    with LOCK:
        replies = SCRIPT["replies"]
        listed = replies[kind] if kind in replies else replies["*"]
        number = TAKEN.get(kind, 0)
        TAKEN[kind] = number + 1
    return listed[min(number, len(listed) - 1)]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as stream:
        SCRIPT.update(json.load(stream))
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print("ready", server.server_port, flush=True)
    server.serve_forever()
