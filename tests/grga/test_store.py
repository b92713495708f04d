import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grga.errors import StoreError
from grga.manifest import Manifest, Source
from grga.store import Store, slug
from grga.types import Speaker, TimeSpan, Utterance


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path)


def a_source(digest: str) -> Source:
    return Source(name="talk.wav", digest=digest * 64, kind="audio")


@pytest.mark.parametrize(
    ("title", "folder"),
    [
        ("Weekly sync, 3 May", "Weekly-sync-3-May"),
        ("réunion 会议 (1)", "réunion-会议-1"),
        ("../../etc/passwd", "etc-passwd"),
        ("…", "meeting"),
    ],
)
def test_a_title_becomes_a_folder_name_that_stays_in_place(title: str, folder: str) -> None:
    assert slug(title) == folder


def test_the_same_content_is_the_same_meeting_under_any_name(store: Store) -> None:
    first = store.create("Talk", a_source("a"))
    again = store.create("Copy of talk", a_source("a"))
    other = store.create("Talk", a_source("b"))
    assert first.path == again.path
    assert other.path != first.path
    assert {line.title for line in store.meetings()} == {"Talk"}


def test_a_meeting_is_found_by_id_by_its_start_and_by_title(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    store.create("Walk", a_source("b"))
    assert store.find(talk.id).id == store.find("Tal").id == store.find("Talk").id == talk.id
    with pytest.raises(StoreError, match="there is no meeting 'Balk'"):
        store.find("Balk")
    store.create("Talk about Talk", a_source("c"))
    assert store.find("Talk").id == talk.id  # a whole title goes before the start of an id
    store.create("Talk", a_source("d"))
    with pytest.raises(StoreError, match="fits several meetings"):
        store.find("Talk")


@pytest.mark.parametrize("meeting_id", ["../x", "a/b", "", ".hidden", "a\\b"])
def test_an_id_that_leaves_the_store_is_refused(store: Store, meeting_id: str) -> None:
    with pytest.raises(StoreError, match="is not a meeting id"):
        store.folder(meeting_id)


def test_delete_really_deletes(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    store.delete(talk.id)
    assert not talk.path.exists()
    with pytest.raises(StoreError, match="there is no meeting"):
        store.delete(talk.id)


def test_a_meeting_that_is_not_finished_cannot_be_asked(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    with pytest.raises(StoreError, match="is not fully indexed"):
        store.load(talk.id)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is damaged"),
        ('{"version": 99}', r"another version of GRGA .found manifest version 99"),
        ('{"version": 1}', "is damaged"),
        ("[]", r"another version of GRGA .found manifest version None"),
        ("\xff\xfe", "is damaged"),
    ],
)
def test_a_damaged_or_foreign_manifest_is_one_sentence(store: Store, text: str, message: str) -> None:
    talk = store.create("Talk", a_source("a"))
    (talk.path / "manifest.json").write_text(text, encoding="latin-1")
    with pytest.raises(StoreError, match=message):
        talk.read_manifest()


def test_names_are_an_overlay_over_speaker_ids(store: Store) -> None:
    folder = store.folder("m")
    folder.write_manifest(
        Manifest(
            id="m",
            title="M",
            created=datetime(2026, 1, 1, tzinfo=UTC),
            source=a_source("a"),
            finished=True,
        )
    )
    line = Utterance(0, "S1", TimeSpan(0, 1), "Hello.")
    speakers = (Speaker("S1", "Speaker 1"), Speaker("S2", "Speaker 2"))
    folder.write_value("acoustics.json", tuple[Utterance, ...], (line,))
    folder.write_value("speakers.json", tuple[Speaker, ...], speakers)
    folder.rename_speaker("S1", "  Rosa   M. ")
    meeting = folder.read_meeting()
    assert meeting.name_of(meeting.utterances[0]) == "Rosa M."
    assert meeting.utterances == (line,)
    with pytest.raises(StoreError, match="is taken"):
        folder.rename_speaker("S2", "Rosa M.")
    with pytest.raises(StoreError, match="there is no speaker 'S3'"):
        folder.rename_speaker("S3", "Lee")


def test_one_damaged_meeting_hides_no_other_and_can_be_deleted(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    walk = store.create("Walk", a_source("b"))
    (talk.path / "manifest.json").write_text("{")
    lines = {line.id: line for line in store.meetings()}
    assert "is damaged" in lines[talk.id].problem
    assert not lines[talk.id].finished
    assert lines[walk.id].problem == ""
    assert store.find("Walk").id == walk.id
    assert store.create("Walk again", a_source("b")).path == walk.path
    store.delete(talk.id)
    assert [line.id for line in store.meetings()] == [walk.id]


def test_indexing_again_heals_a_damaged_manifest(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    (talk.path / "manifest.json").write_text("{")
    assert store.create("Talk", a_source("a")).path == talk.path
    assert talk.read_manifest().title == "Talk"


def test_a_list_line_follows_its_manifest(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    assert [line.finished for line in store.meetings()] == [False]
    talk.write_manifest(talk.read_manifest().model_copy(update={"finished": True}))
    assert [line.finished for line in store.meetings()] == [True]


def test_a_meeting_that_somebody_works_on_is_not_deleted(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))
    with talk.alone(), pytest.raises(StoreError, match="is being indexed"):
        store.delete(talk.id)
    store.delete(talk.id)
    assert store.meetings() == []


def test_a_disk_that_takes_nothing_is_one_sentence(store: Store) -> None:
    talk = store.create("Talk", a_source("a"))

    def fill() -> None:
        with talk.replacing("audio.wav") as draft:
            draft.write_bytes(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(StoreError, match=r"cannot be written .found the disk is full"):
        fill()
    assert [file.name for file in talk.path.iterdir()] == ["manifest.json"]


def test_a_file_in_the_way_of_the_home_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    with pytest.raises(StoreError, match="a file is in the way"):
        Store(tmp_path / "home").create("Talk", a_source("a"))
