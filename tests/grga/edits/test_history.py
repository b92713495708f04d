"""Edits: what is refused, what is kept, what can be taken back, and what survives a recognition run again."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grga.edits import (
    Edit,
    EditLog,
    EditText,
    Merge,
    Reassign,
    Rename,
    SetTags,
    SetTitle,
)
from grga.errors import StoreError
from grga.store import MeetingFolder, Store
from grga.types import Meeting


def recognised_again(folder: MeetingFolder, digest: str = "another") -> None:
    """Let the folder look as if recognition had been run again."""
    manifest = folder.read_manifest()
    manifest.stages["utterances"].output = digest
    folder.write_manifest(manifest)


# --- what is refused --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (Rename(speaker="S9", name="Lee"), r"there is no speaker 'S9' .*S1 .Grace., S2 .Maya."),
        (Rename(speaker="S1", name=" \n\t "), "the name is empty"),
        (Rename(speaker="S1", name="\u200b\u2060"), "the name is empty"),
        (
            Rename(speaker="S1", name="x" * 81),
            "the name is too long .found 81 characters, expected at most 80",
        ),
        (Rename(speaker="S1", name="maya"), "the name 'maya' is taken: choose another name, or merge"),
        (Merge(speaker="S1", into="S1"), "'Grace' cannot be merged into themselves"),
        (Merge(speaker="S1", into="S9"), "there is no speaker 'S9'"),
        (Merge(speaker="S9", into="S1"), "there is no speaker 'S9'"),
        (Reassign(utterances=(), speaker="S1"), "no line is chosen"),
        (Reassign(utterances=(3, 61), speaker="S1"), "there is no line 61 .* .expected 0 to 60."),
        (Reassign(utterances=(3,), speaker="S9"), "there is no speaker 'S9'"),
        (EditText(utterance=-1, text="x"), "there is no line -1"),
        (EditText(utterance=3, text="\x00\x07"), "the text of a line is empty"),
        (EditText(utterance=3, text="x" * 2001), "the text of a line is too long"),
        (SetTitle(title=""), "the title is empty"),
        (SetTags(tags=("",)), "the tag is empty"),
        (SetTags(tags=("x" * 41,)), "the tag is too long"),
        (SetTags(tags=tuple(map(str, range(21)))), "these are too many tags .found 21, expected at most 20."),
    ],
)
def test_an_edit_that_does_not_fit_is_one_sentence_and_leaves_nothing(
    folder: MeetingFolder, edit: Edit, sentence: str
) -> None:
    with pytest.raises(StoreError, match=sentence):
        folder.edit(edit)
    assert folder.edits() == ()


def test_texts_are_cleaned(folder: MeetingFolder) -> None:
    folder.edit(EditText(utterance=3, text="The\x00 donkey\r\n ate\u202e  my caf\u0065\u0301. \ud800"))
    assert folder.read_meeting().utterances[3].text == "The donkey ate my café."


@pytest.mark.parametrize(
    "text",
    ["<img src=x onerror=alert(1)>", "${alert(1)}", "{{7*7}}", "\\", "</script>", '"quoted"', "👩‍🚀 می‌خواهم"],
)
def test_texts_are_kept_as_typed(folder: MeetingFolder, text: str) -> None:
    folder.edit(EditText(utterance=3, text=text))
    folder.edit(Rename(speaker="S1", name=text))
    meeting = folder.read_meeting()
    assert (meeting.utterances[3].text, meeting.speaker("S1").name) == (text, text)


def test_a_meeting_that_is_being_indexed_or_is_not_there_cannot_be_edited(
    store: Store, folder: MeetingFolder
) -> None:
    folder.write_manifest(folder.read_manifest().model_copy(update={"finished": False}))
    with pytest.raises(StoreError, match="is being indexed: edit it when that has finished"):
        folder.edit(SetTitle(title="x"))
    missing = store.folder("nothing")
    with pytest.raises(StoreError, match="there is no meeting 'nothing'"):
        missing.edit(SetTitle(title="x"))
    assert not missing.path.exists()


def test_editing_does_not_wait_for_whoever_works_on_the_meeting(folder: MeetingFolder) -> None:
    with folder.alone():
        folder.edit(SetTitle(title="Autumn play"))
    assert folder.read_meeting().title == "Autumn play"


# --- what the history says --------------------------------------------------------------------------


def test_the_history_says_who_changed_what_and_when(folder: MeetingFolder) -> None:
    begin = datetime.now(UTC)
    folder.edit(Rename(speaker="S1", name="Grace H."), by="ann")
    folder.edit(EditText(utterance=3, text="The monkey ate my hat."), by="bob\n")
    folder.edit(Merge(speaker="S4", into="S2"))
    folder.edit(Reassign(utterances=(7, 5, 6, 10, 5)))
    folder.edit(Reassign(utterances=(0,), speaker="S3"))
    folder.edit(SetTitle(title="Autumn"))
    folder.edit(SetTags(tags=("theatre", "budget", "theatre")))
    folder.edit(SetTags())
    folder.undo(by="cy")
    records = folder.edits()
    assert [record.summary for record in records] == [
        '"Grace" → "Grace H."',
        'Line 3 (0:13): "donkey" → "monkey"',
        '"Henry" merged into "Maya" (14 lines)',
        'Lines 5–7, 10 (0:24): now "Speaker 5", who is new',
        'Line 0 (0:00): now "Oliver"',
        'Title: "The Lantern Players choose a play" → "Autumn"',
        "Tags: theatre, budget",
        "Tags removed",
    ]
    assert [record.by for record in records[:3]] == ["ann", "bob", ""]
    assert [record.number for record in records] == list(range(1, 9))
    assert [record.undone for record in records] == [False] * 7 + [True]
    assert records[-1].undone_by == "cy"
    moments = [record.at for record in records] + [records[-1].undone_at or begin]
    assert moments == sorted(moments)
    assert timedelta(0) <= moments[-1] - begin < timedelta(minutes=5)


def test_what_changes_nothing_is_not_written(folder: MeetingFolder) -> None:
    text = folder.read_meeting().utterances[3].text
    edits: list[Edit] = [
        Rename(speaker="S1", name=" Grace "),
        EditText(utterance=3, text=text),
        Reassign(utterances=(3,), speaker="S3"),
        SetTags(),
        SetTitle(title="The Lantern Players choose a play"),
    ]
    assert [folder.edit(edit).number for edit in edits] == [0] * 5
    assert not (folder.path / "edits.jsonl").exists()


def test_a_record_comes_back_as_the_history_shows_it(folder: MeetingFolder) -> None:
    assert folder.edit(SetTitle(title="Autumn"), by="ann") == folder.edits()[0]
    assert folder.undo(by="bob") == folder.edits()[0]
    assert folder.redo() == folder.edits()[0]


# --- undo and redo ----------------------------------------------------------------------------------


def test_undo_goes_back_step_by_step_and_redo_forward_again(folder: MeetingFolder) -> None:
    seen: list[Meeting] = [folder.read_meeting()]
    for edit in [
        EditText(utterance=3, text="The monkey ate my hat."),
        Merge(speaker="S4", into="S2"),
        Reassign(utterances=(5, 6, 7, 10)),
        Rename(speaker="S5", name="Ida"),
        Merge(speaker="S5", into="S1"),
    ]:
        folder.edit(edit)
        seen.append(folder.read_meeting())
    for expected in reversed(seen[:-1]):
        assert folder.undo() is not None
        assert folder.read_meeting() == expected
    assert folder.undo() is None
    for expected in seen[1:]:
        assert folder.redo() is not None
        assert folder.read_meeting() == expected
    assert folder.redo() is None


def test_after_a_new_edit_nothing_can_be_brought_back(folder: MeetingFolder) -> None:
    folder.edit(SetTitle(title="one"))
    folder.undo()
    folder.edit(SetTitle(title="two"))
    assert folder.redo() is None
    assert folder.read_meeting().title == "two"


def test_names_from_before_there_was_a_history_are_no_edit(folder: MeetingFolder) -> None:
    assert folder.undo() is None
    assert [speaker.name for speaker in folder.read_meeting().speakers] == [
        "Grace",
        "Maya",
        "Oliver",
        "Henry",
    ]
    before = (folder.path / "names.json").read_bytes()
    folder.rename_speaker("S1", "Grace H.")
    assert folder.read_meeting().speaker("S1").name == "Grace H."
    assert (folder.path / "names.json").read_bytes() == before


ids = st.sampled_from(["S1", "S2", "S3", "S4", "S5", "S6"])
lines = st.integers(0, 60)
words = st.text(st.characters(min_codepoint=32, max_codepoint=0x4FFF), min_size=1, max_size=30)
any_edit = st.one_of(
    st.builds(Rename, speaker=ids, name=words),
    st.builds(Merge, speaker=ids, into=ids),
    st.builds(
        Reassign, utterances=st.lists(lines, min_size=1, max_size=5).map(tuple), speaker=st.none() | ids
    ),
    st.builds(EditText, utterance=lines, text=words),
    st.builds(SetTitle, title=words),
    st.builds(SetTags, tags=st.lists(words, max_size=3).map(tuple)),
)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(any_edit, max_size=8))
def test_any_edits_and_then_as_many_undos_give_the_first_meeting(
    folder: MeetingFolder, edits: list[Edit]
) -> None:
    (folder.path / "edits.jsonl").unlink(missing_ok=True)
    first = folder.read_meeting()
    made = 0
    for edit in edits:
        try:
            made += folder.edit(edit).number > 0
        except StoreError:
            continue  # the rest of the sequence counts all the same
        meeting = folder.read_meeting()
        assert [(one.id, one.span) for one in meeting.utterances] == [
            (one.id, one.span) for one in first.utterances
        ]
        assert {one.speaker for one in meeting.utterances} == {speaker.id for speaker in meeting.speakers}
        assert len({speaker.name for speaker in meeting.speakers}) == len(meeting.speakers)
    for _ in range(made):
        assert folder.undo() is not None
    assert folder.undo() is None
    assert folder.read_meeting() == first


# --- recognised again -------------------------------------------------------------------------------


def test_a_recognition_run_again_keeps_names_title_and_tags_but_not_lines(folder: MeetingFolder) -> None:
    recorded = folder.read_meeting()
    folder.edit(Rename(speaker="S1", name="Grace H."))
    folder.edit(EditText(utterance=3, text="The monkey ate my hat."))
    folder.edit(Merge(speaker="S4", into="S2"))
    folder.edit(Reassign(utterances=(5,)))
    folder.edit(Rename(speaker="S5", name="Ida"))
    folder.edit(SetTitle(title="Autumn"))
    folder.edit(SetTags(tags=("theatre",)))
    edited, digest = folder.read_meeting(), folder.read_manifest().stages["utterances"].output
    recognised_again(folder)
    assert [record.applies for record in folder.edits()] == [True, False, False, False, False, True, True]
    meeting = folder.read_meeting()
    assert meeting.utterances == recorded.utterances
    assert [s.name for s in meeting.speakers] == ["Grace H.", "Maya", "Oliver", "Henry"]
    assert meeting.title == "Autumn"
    assert folder.read_overlay().tags == ("theatre",)
    undone = folder.undo()
    assert undone is not None
    assert undone.summary == "Tags: theatre"
    folder.redo()
    recognised_again(folder, digest)  # the same lines as at first: the corrections fit again
    assert folder.read_meeting() == edited


def test_only_what_fits_is_taken_back_after_a_recognition_run_again(folder: MeetingFolder) -> None:
    folder.edit(SetTitle(title="Autumn"))
    folder.edit(EditText(utterance=3, text="The monkey ate my hat."))
    recognised_again(folder)
    record = folder.undo()
    assert record is not None
    assert record.edit == SetTitle(title="Autumn")
    assert folder.undo() is None
    assert folder.edit(EditText(utterance=3, text="A new line.")).applies
    assert [record.applies for record in folder.edits()] == [True, False, True]


def test_a_new_speaker_never_gets_an_id_or_number_that_somebody_had(folder: MeetingFolder) -> None:
    folder.edit(Reassign(utterances=(5,)))
    folder.edit(Rename(speaker="S5", name="Ida"))
    recognised_again(folder)
    folder.edit(Rename(speaker="S2", name="speaker 5"))
    folder.edit(Reassign(utterances=(6,)))
    meeting = folder.read_meeting()
    assert meeting.utterances[6].speaker == "S6"
    assert meeting.speaker("S6").name == "Speaker 6"


def test_a_new_id_follows_the_style_of_those_there(install: Callable[[str], MeetingFolder]) -> None:
    folder = install("rooftop-garden")
    text = (folder.path / "acoustics.json").read_text("utf-8")
    (folder.path / "acoustics.json").write_text(text.replace('"S', '"spk_'), "utf-8")
    text = (folder.path / "speakers.json").read_text("utf-8")
    (folder.path / "speakers.json").write_text(
        text.replace('"S', '"spk_').replace("spk_peaker", "Speaker"), "utf-8"
    )
    folder.edit(Reassign(utterances=(2,)))
    assert folder.read_meeting().utterances[2].speaker == "spk_4"


# --- the file ---------------------------------------------------------------------------------------


def test_a_last_line_that_a_kill_has_cut_is_ignored_and_followed_by_whole_ones(folder: MeetingFolder) -> None:
    file = folder.path / "edits.jsonl"
    folder.edit(SetTitle(title="one"))
    whole = file.read_bytes()
    for cut in (1, 30, len(whole) - 1):
        file.write_bytes(whole + whole[:cut])
        assert len(folder.edits()) == 1
        folder.edit(SetTitle(title=f"after {cut}"))
        assert [record.summary for record in folder.edits()][1:] == [f'Title: "one" → "after {cut}"']
        assert all(json.loads(line) for line in file.read_text("utf-8").splitlines())
        file.write_bytes(whole)


def test_a_damaged_line_is_one_sentence(folder: MeetingFolder) -> None:
    folder.edit(SetTitle(title="one"))
    file = folder.path / "edits.jsonl"
    file.write_bytes(file.read_bytes() + b'{"edit": {"kind": "magic"}}\n')
    with pytest.raises(StoreError, match=r"line 2 of edits.jsonl of meeting .* is damaged"):
        folder.read_meeting()


def test_edits_of_many_threads_and_processes_are_all_kept(folder: MeetingFolder) -> None:
    code = (
        "import sys; from pathlib import Path; from grga.store import MeetingFolder; from grga.edits import EditText\n"
        "folder = MeetingFolder(Path(sys.argv[1]))\n"
        "for i in range(8): folder.edit(EditText(utterance=i, text=f'{sys.argv[2]} {i}'), by=sys.argv[2])"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(folder.path), f"process{n}"]) for n in range(2)
    ]

    def edit(number: int) -> int:
        return folder.edit(EditText(utterance=number % 60, text=f"thread {number}"), by="thread").number

    with ThreadPoolExecutor(4) as pool:
        numbers = list(pool.map(edit, range(24)))
    assert [process.wait(timeout=60) for process in processes] == [0, 0]
    records = folder.edits()
    assert [record.number for record in records] == list(range(1, 41))
    assert len(set(numbers)) == 24
    assert sorted(record.by for record in records) == ["process0"] * 8 + ["process1"] * 8 + ["thread"] * 24


def test_what_was_confirmed_before_a_kill_is_there_after_it(folder: MeetingFolder) -> None:
    code = (
        "import sys; from itertools import count; from pathlib import Path\n"
        "from grga.store import MeetingFolder; from grga.edits import SetTitle\n"
        "folder = MeetingFolder(Path(sys.argv[1]))\n"
        "for i in count(): print(folder.edit(SetTitle(title=f'title {i}')).number, flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(folder.path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    confirmed = [int(process.stdout.readline()) for _ in range(5)]
    process.kill()
    confirmed += [int(line) for line in process.stdout.read().splitlines() if line]
    process.stdout.close()
    process.wait(timeout=30)
    numbers = [record.number for record in folder.edits()]
    assert numbers[: len(confirmed)] == confirmed
    assert folder.edit(EditText(utterance=0, text="After the kill.")).number == len(numbers) + 1
    assert folder.read_meeting().utterances[0].text == "After the kill."


def test_an_edit_that_never_gets_its_turn_is_one_sentence(
    folder: MeetingFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grga.edits.log._PATIENCE", 0.0)
    with (
        EditLog(folder.path).alone(),
        pytest.raises(StoreError, match="being written by another process: try"),
    ):
        folder.edit(SetTitle(title="x"))
    assert folder.edit(SetTitle(title="x")).number == 1


def test_a_disk_that_takes_no_edit_is_one_sentence(
    folder: MeetingFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.edit(SetTitle(title="one"))

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("grga.edits.log.os.fsync", full)
        with pytest.raises(StoreError, match=r"cannot be written .found the disk is full"):
            folder.edit(SetTitle(title="two"))
    assert [record.summary for record in folder.edits()] == [
        'Title: "The Lantern Players choose a play" → "one"'
    ]
    assert folder.edit(SetTitle(title="two")).number == 2


def test_the_revision_changes_with_every_edit_and_with_indexing(folder: MeetingFolder) -> None:
    seen = [folder.revision()]
    assert folder.revision() == seen[0]
    folder.edit(SetTitle(title="one"))
    seen.append(folder.revision())
    folder.undo()
    seen.append(folder.revision())
    folder.redo()
    seen.append(folder.revision())
    folder.write_manifest(folder.read_manifest())
    seen.append(folder.revision())
    assert len(set(seen)) == 5


def test_the_list_of_meetings_follows_edits(store: Store, folder: MeetingFolder) -> None:
    [line] = store.meetings()
    assert (line.names, line.speakers, line.tags) == (("Grace", "Maya", "Oliver", "Henry"), 4, ())
    folder.edit(SetTitle(title="Autumn"))
    folder.edit(SetTags(tags=("theatre",)))
    folder.edit(Rename(speaker="S3", name="Oli"))
    folder.edit(Merge(speaker="S4", into="S2"))
    [line] = store.meetings()
    assert (line.title, line.names, line.speakers, line.tags) == (
        "Autumn",
        ("Grace", "Maya", "Oli"),
        3,
        ("theatre",),
    )
    assert store.find("Autumn").id == folder.id
    folder.undo()
    [line] = store.meetings()
    assert line.names == ("Grace", "Maya", "Oli", "Henry")


def test_a_damaged_history_is_a_line_in_the_list_that_says_so(store: Store, folder: MeetingFolder) -> None:
    (Path(folder.path) / "edits.jsonl").write_text("{}x\n")
    [line] = store.meetings()
    assert "line 1 of edits.jsonl" in line.problem
    assert not line.finished
