"""The running app as programs see it: over HTTP, with ``gradio_client``, as MCP tools; and its documentation."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "api.md").read_text("utf-8")
IN_DOCS = "http://127.0.0.1:7860"
NAMES = [
    "list_meetings",
    "index_meeting",
    "indexing_status",
    "ask_meeting",
    "search_meeting",
    "get_transcript",
    "listen",
]
SAMPLE = "The Lantern Players choose a play"


def examples(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS, re.DOTALL | re.MULTILINE)


def post(address: str, values: Any) -> Any:
    body = json.dumps(values).encode()
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)


def call(address: str, name: str, arguments: dict[str, Any]) -> tuple[str, Any]:
    """Return the last event of a call over plain HTTP and its data."""
    event = post(f"{address}/gradio_api/call/v2/{name}", arguments)["event_id"]
    with urllib.request.urlopen(f"{address}/gradio_api/call/{name}/{event}", timeout=60) as stream:
        text = stream.read().decode()
    kind, data = re.findall(r"event: (\w+)\ndata: (.*)", text)[-1]
    return kind, json.loads(data)


def with_tools(
    address: str, use: Callable[[Any], Awaitable[Any]], headers: dict[str, str] | None = None
) -> Any:
    """Return what ``use`` makes of a session with the app's MCP server."""
    pytest.importorskip("mcp", reason="the package mcp is not installed")
    from mcp import ClientSession
    from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

    async def session() -> Any:
        place = f"{address}/gradio_api/mcp/"
        async with (
            create_mcp_http_client(headers) as http,
            streamable_http_client(place, http_client=http) as (read, write, _),
            ClientSession(read, write) as tools,
        ):
            await tools.initialize()
            return await use(tools)

    # In a thread of its own: a browser that other tests use keeps an event loop running in this one.
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(lambda: asyncio.run(asyncio.wait_for(session(), 120))).result()


@pytest.mark.parametrize("number", range(len(examples("python"))))
def test_every_python_example_runs(address: str, tmp_path: Path, clip: Path, number: int) -> None:
    shutil.copy(clip, tmp_path / "standup.flac")
    script = tmp_path / "example.py"
    script.write_text(examples("python")[number].replace(IN_DOCS, address))
    done = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, timeout=170
    )
    assert done.returncode == 0, done.stderr
    expected = [
        ["Oliver", "you promised us no hidden costs", "verified", "/?answer="],
        ["done ", "] "],
        ["Oliver", "you promised us no hidden costs", "louder", ".wav"],
        ["there is no meeting 'The budget': list_meetings names them"],
        [str(NAMES), "Grace is the director.", ".wav"],
    ][number]
    assert [word for word in expected if word not in done.stdout] == []


@pytest.mark.parametrize("number", range(len(examples("bash"))))
def test_every_curl_example_runs(address: str, tmp_path: Path, clip: Path, number: int) -> None:
    shutil.copy(clip, tmp_path / "standup.flac")
    script = "set -euo pipefail\n" + examples("bash")[number].replace(IN_DOCS, address)
    done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "event: complete" in done.stdout
    expected = ["A water pipe had burst during the night", '"state": '][number]
    assert expected in done.stdout


def test_programs_see_these_endpoints_alone(address: str) -> None:
    with urllib.request.urlopen(f"{address}/gradio_api/info", timeout=30) as reply:
        info = json.load(reply)
    assert [name.removeprefix("/") for name in info["named_endpoints"]] == NAMES
    assert info["unnamed_endpoints"] == {}
    assert all(one["description"] for one in info["named_endpoints"].values())


def test_tools_explain_themselves(address: str) -> None:
    async def listed(tools: Any) -> Any:
        return (await tools.list_tools()).tools

    tools = {tool.name: tool for tool in with_tools(address, listed)}
    assert list(tools) == NAMES
    for tool in tools.values():
        assert " Returns: " in tool.description
        assert all(value["description"] for value in tool.inputSchema["properties"].values())
    schema = tools["ask_meeting"].inputSchema
    assert schema["required"] == ["question"]
    assert schema["properties"]["meeting"]["default"] == "all"
    assert schema["properties"]["system"]["enum"] == ["grga", "text_rag", "transcript_context"]


def test_an_assistant_gets_a_cited_answer_and_can_hear_it(address: str) -> None:
    async def ask(tools: Any) -> Any:
        return await tools.call_tool(
            "ask_meeting", {"question": "What price did Henry first name for the hall?", "meeting": SAMPLE}
        )

    reply = with_tools(address, ask)
    assert not reply.isError
    answer = json.loads(reply.content[0].text)
    assert answer["verified"]
    assert "400 pounds" in answer["sentences"][0]["text"]
    cited = {one["number"]: one for one in answer["citations"]}
    first = cited[answer["sentences"][0]["citations"][0]]
    assert (first["speaker"], first["meeting"]) == ("Henry", answer["parts"][0]["meeting"])
    with urllib.request.urlopen(first["clip"], timeout=30) as clip:
        sound = clip.read()
    assert clip.headers["Content-Type"] == "audio/wav"
    assert len(sound) == pytest.approx(44 + 32_000 * (first["end"] - first["start"]), abs=64)
    with urllib.request.urlopen(answer["permalink"], timeout=30) as page:
        assert page.status == 200


def test_wrong_calls_of_tools_get_one_sentence(address: str) -> None:
    wrong = {
        "there is no meeting 'nope': list_meetings names them": ("get_transcript", {"meeting": "nope"}),
        "the argument 'limit' cannot be used: input should be less than or equal to 100": (
            "search_meeting",
            {"meeting": SAMPLE, "query": "donkey", "limit": 1000},
        ),
        "this span cannot be listened to": ("listen", {"meeting": SAMPLE, "start": 0, "end": 500}),
        "there is no job 99": ("indexing_status", {"job": 99}),
        "is not a time": ("ask_meeting", {"question": "Why?", "meeting": SAMPLE, "time": "noon-1:00"}),
    }

    async def call_all(tools: Any) -> list[Any]:
        return [await tools.call_tool(name, arguments) for name, arguments in wrong.values()]

    replies = with_tools(address, call_all)
    for sentence, reply in zip(wrong, replies, strict=True):
        assert reply.isError
        assert sentence in reply.content[0].text
        assert "\n" not in reply.content[0].text


@pytest.mark.parametrize(
    "file",
    [
        "/etc/passwd",
        "../../etc/passwd",
        "file:///etc/passwd",
        IN_DOCS + "/gradio_api/file=/etc/passwd",
        {"path": "/etc/passwd"},
        {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
        {"path": IN_DOCS + "/config", "meta": {"_type": "gradio.FileData"}},
        {"path": ["/etc/passwd"]},
        {},
    ],
)
def test_a_path_never_reads_a_file_of_the_server(app: Any, file: Any) -> None:
    jobs = len(list((app.home / "uploads").glob("*")))
    posted = json.loads(json.dumps(file).replace(IN_DOCS, app.address))
    kind, said = call(app.address, "index_meeting", {"file": posted})
    assert kind == "error"
    assert "root:" not in json.dumps(said)
    assert len(list((app.home / "uploads").glob("*"))) == jobs
    assert Path("/etc/passwd").is_file()


def test_a_small_file_may_come_in_the_call_itself(address: str) -> None:
    words = base64.b64encode(b"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Rosa>All our words are kept.\n").decode()
    kind, [job] = call(
        address, "index_meeting", {"file": f"data:text/vtt;base64,{words}", "title": "Words kept"}
    )
    assert kind == "complete"
    _, [done] = call(address, "indexing_status", {"job": job["job"], "wait": 60})
    assert (done["state"], done["error"]) == ("done", None)
    assert ("Words kept", done["meeting"]) in [
        (one["title"], one["id"]) for one in call(address, "list_meetings", {})[1][0]
    ]
    _, [text] = call(address, "get_transcript", {"meeting": done["meeting"], "format": "jsonl"})
    line = {"utterance": 0, "speaker": "Rosa", "start": 1.0, "end": 2.0, "text": "All our words are kept."}
    assert json.loads(text) == line
    _, [heard] = call(address, "ask_meeting", {"question": "What is kept?", "meeting": done["meeting"]})
    assert [one["clip"] for one in heard["citations"]] == [None]


def test_a_question_may_go_to_several_meetings(address: str) -> None:
    _, [meetings] = call(address, "list_meetings", {})
    kind, [answer] = call(address, "ask_meeting", {"question": "What is the name of the donkey?"})
    assert kind == "complete"
    asked = {one["meeting"] for one in (*answer["parts"], *answer["left_out"])}
    assert asked == {one["id"] for one in meetings}
    assert [one["number"] for one in answer["citations"]] == [*range(1, len(answer["citations"]) + 1)]
    assert "biscuit" in answer["answer"].lower()


def status(address: str, headers: dict[str, str] | None = None) -> int:
    try:
        with urllib.request.urlopen(
            urllib.request.Request(address, headers=headers or {}), timeout=30
        ) as got:
            return int(got.status)
    except urllib.error.HTTPError as refused:
        return refused.code


def test_with_users_everything_asks_for_the_login(app: Any, tmp_path: Path) -> None:
    from gradio_client import Client

    closed = type(app)(tmp_path / "home", environment={"GRGA_UI__AUTH": "rosa:s3cret"}).start()
    try:
        client = Client(closed.address, auth=("rosa", "s3cret"), verbose=False)
        meeting = next(
            one["id"] for one in client.predict(api_name="/list_meetings") if one["title"] == SAMPLE
        )
        basic = {"Authorization": "Basic " + base64.b64encode(b"rosa:s3cret").decode()}
        for path in ("grga/audio", "grga/export", "grga/clip"):
            place = {"grga/export": f"{meeting}/txt", "grga/clip": f"{meeting}/0.000-1.000.wav"}
            address = f"{closed.address}/{path}/{place.get(path, meeting)}"
            assert (status(address), status(address, basic)) == (401, 200)
        assert status(f"{closed.address}/gradio_api/info") == 401
        assert status(f"{closed.address}/gradio_api/mcp/") == 401
        assert status(f"{closed.address}/grga/style/app.css") == 200

        async def listed(tools: Any) -> Any:
            return json.loads((await tools.call_tool("list_meetings", {})).content[0].text)

        assert meeting in [one["id"] for one in with_tools(closed.address, listed, basic)]
    finally:
        closed.stop()


def test_without_the_package_there_are_no_tools_and_all_else_works(app: Any, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\n\nsys.modules['mcp'] = None\n")
    plain = type(app)(tmp_path / "home", environment={"PYTHONPATH": str(tmp_path)}).start()
    try:
        assert "No MCP tools: the package mcp is not installed\n" in plain.said
        assert status(f"{plain.address}/gradio_api/mcp/") == 404
        assert call(plain.address, "list_meetings", {})[0] == "complete"
    finally:
        plain.stop()


@pytest.mark.parametrize("span", ["0.000-500.000", "9.000-3.000", "9000.000-9001.000"])
def test_only_spans_of_the_recording_become_clips(address: str, span: str) -> None:
    _, [meetings] = call(address, "list_meetings", {})
    sample = next(one["id"] for one in meetings if one["title"] == SAMPLE)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{address}/grga/clip/{sample}/{span}.wav", timeout=30)
    assert refused.value.code == 404
    assert "Traceback" not in refused.value.read().decode()
