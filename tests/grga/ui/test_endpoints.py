"""Arguments are checked, errors are one sentence, and only uploads are read."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import pytest
from gradio.utils import get_function_description, get_function_params
from pydantic import Field

from grga.errors import JobError, QuestionError
from grga.ui.endpoints import CallError, endpoint, uploaded


class Shop:
    """Something with a method to call."""

    def order(self, what: Literal["tea", "milk"], cups: Annotated[int, Field(ge=1, le=9)] = 1) -> str:
        """Order something to drink.

        Args:
            what: The drink.
            cups: How many.

        Returns:
            The bill.
        """
        if what == "milk":
            raise QuestionError("the milk is gone", fix="take tea")
        if cups == 9:
            raise ZeroDivisionError("a bug")
        return f"{cups} tea"


order = endpoint(Shop().order)


def test_a_good_call_is_answered() -> None:
    assert (order("tea"), order("tea", 2), order(what="tea", cups="3")) == ("1 tea", "2 tea", "3 tea")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("coffee",), "the argument 'what' cannot be used: input should be 'tea' or 'milk'"),
        (("tea", 10), "the argument 'cups' cannot be used: input should be less than or equal to 9"),
        (("tea", ["x"]), "the argument 'cups' cannot be used: input should be a valid integer"),
        (("milk",), "the milk is gone: take tea"),
        (("tea", 9), "something went wrong inside GRGA; the server's log has the details"),
    ],
)
def test_a_bad_call_gets_one_sentence(given: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(CallError) as raised:
        order(*given)
    assert str(raised.value) == raised.value.message == sentence


def test_gradio_reads_types_defaults_and_texts() -> None:
    assert get_function_params(order) == [
        ("what", False, None, Literal["tea", "milk"]),
        ("cups", True, 1, int),
    ]
    assert get_function_description(order) == (
        "Order something to drink.",
        {"what": "The drink.", "cups": "How many."},
        ["The bill."],
    )
    assert inspect.signature(order).return_annotation is str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that Gradio puts uploads into."""
    uploads = tmp_path / "uploads"
    uploads.mkdir()
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(uploads))
    return uploads


def test_an_upload_is_named_in_four_ways(folder: Path) -> None:
    file = folder / "ab12" / "stand up.wav"
    file.parent.mkdir()
    file.write_bytes(b"RIFF")
    where = f"https://meetings.example.org/gradio_api/file={quote(str(file))}"
    assert uploaded(str(file), None) == ("stand up.wav", file)
    assert uploaded(where, None) == ("stand up.wav", file)
    assert uploaded({"path": str(file)}, None) == ("stand up.wav", file)
    assert uploaded({"path": str(file), "orig_name": "Monday.wav"}, None) == ("Monday.wav", file)


def test_content_may_come_along(folder: Path) -> None:
    words = b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n"
    name, path = uploaded("data:text/vtt;base64," + base64.b64encode(words).decode(), "Monday")
    assert (name, path.read_bytes()) == ("Monday.vtt", words)
    assert path.is_relative_to(folder)


@pytest.mark.parametrize(
    "wrong", ["data:", "data:text/vtt", "data:text/vtt;base64,A", "data:text/vtt;base64,é"]
)
def test_half_a_data_address_is_refused(folder: Path, wrong: str) -> None:
    with pytest.raises(JobError):
        uploaded(wrong, None)


@pytest.mark.parametrize(
    "wrong",
    [
        "/etc/passwd",
        "",
        ".",
        "x" * 5000,
        "a\0b",
        "https://elsewhere.example.org/talk.wav",
        "/gradio_api/file=/etc/passwd",
        "/gradio_api/file=%2Fetc%2Fpasswd",
    ],
)
def test_nothing_else_is_read(folder: Path, wrong: str) -> None:
    for file in (wrong, {"path": wrong}):
        with pytest.raises(JobError, match="is not an uploaded file"):
            uploaded(file, None)


def test_a_way_out_of_the_folder_is_seen(folder: Path) -> None:
    secret = folder.parent / "secret.wav"
    secret.write_bytes(b"RIFF")
    (folder / "link.wav").symlink_to(secret)
    for way in (folder / ".." / "secret.wav", folder / "link.wav", folder):
        with pytest.raises(JobError, match="is not an uploaded file"):
            uploaded(str(way), None)
    with pytest.raises(JobError):
        uploaded({}, None)
