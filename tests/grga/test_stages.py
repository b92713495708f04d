from pathlib import Path

import pytest

from grga.manifest import Manifest, Source
from grga.stages import CancelledError, StageNotes, StageRunner
from grga.store import MeetingFolder, Store


@pytest.fixture
def folder(tmp_path: Path) -> MeetingFolder:
    return Store(tmp_path).create("Budget", Source(name="b.wav", digest="d" * 64, kind="audio"))


class Pipeline:
    """Two stages: ``count`` writes a number, ``double`` reads it and writes twice as much."""

    def __init__(self, folder: MeetingFolder) -> None:
        self.folder = folder
        self.calls: list[str] = []

    def __call__(self, number: int, *, note: str = "", source: str = "d") -> StageRunner:
        run = StageRunner(self.folder, source)

        def count(notes: StageNotes) -> None:
            self.calls.append("count")
            self.folder.write_text("count.txt", str(number % 10))

        def double(notes: StageNotes) -> None:
            self.calls.append("double")
            value = int((self.folder.path / "count.txt").read_text())
            self.folder.write_text("double.txt", str(2 * value))

        run.run("count", count, outputs=["count.txt"], settings={"number": number})
        run.run("double", double, inputs=["count"], outputs=["double.txt"], settings={"note": note})
        return run


def test_an_unchanged_stage_never_runs_twice(folder: MeetingFolder) -> None:
    pipeline = Pipeline(folder)
    pipeline(3)
    second = pipeline(3)
    assert pipeline.calls == ["count", "double"]
    assert second.reused == ["count", "double"]
    assert second.ran == {}


def test_other_settings_run_their_stage_and_those_whose_input_really_changed(folder: MeetingFolder) -> None:
    pipeline = Pipeline(folder)
    pipeline(3)
    pipeline(4)
    assert pipeline.calls == ["count", "double"] * 2
    # 14 writes the same output as 4: what follows is still current.
    pipeline(14)
    assert pipeline.calls == ["count", "double"] * 2 + ["count"]
    pipeline(14, note="new")
    assert pipeline.calls[-1] == "double"
    assert len(pipeline.calls) == 6


def test_another_source_or_a_missing_output_runs_the_stage_again(folder: MeetingFolder) -> None:
    pipeline = Pipeline(folder)
    pipeline(3)
    pipeline(3, source="e")
    assert pipeline.calls == ["count", "double", "count"]
    (folder.path / "double.txt").unlink()
    pipeline(3, source="e")
    assert pipeline.calls[-1] == "double"
    assert (folder.path / "double.txt").read_text() == "6"


def test_a_failed_stage_keeps_what_is_finished_and_leaves_no_half_file(folder: MeetingFolder) -> None:
    run = StageRunner(folder, "d")
    run.run("first", lambda notes: folder.write_text("first.txt", "1"), outputs=["first.txt"])

    def fail(notes: StageNotes) -> None:
        with folder.replacing("second.txt") as draft:
            draft.write_text("half")
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        run.run("second", fail, outputs=["second.txt"], inputs=["first"])
    assert list(folder.read_manifest().stages) == ["first"]
    assert sorted(file.name for file in folder.path.iterdir()) == ["first.txt", "manifest.json"]


def test_what_a_stage_notes_in_the_manifest_stays(folder: MeetingFolder) -> None:
    def detect(notes: StageNotes) -> None:
        folder.write_text("words.txt", "hola")
        folder.write_manifest(folder.read_manifest().model_copy(update={"language": "es"}))

    StageRunner(folder, "d").run("asr", detect, outputs=["words.txt"])
    manifest = folder.read_manifest()
    assert manifest.language == "es"
    assert list(manifest.stages) == ["asr"]


def test_a_cancelled_run_stops_between_stages_and_inside_one(folder: MeetingFolder) -> None:
    wish = {"stop": False}
    run = StageRunner(folder, "d", cancelled=lambda: wish["stop"])

    def work(notes: StageNotes) -> None:
        wish["stop"] = True
        run.report("first", 0.5)

    with pytest.raises(CancelledError, match="go on from here"):
        run.run("first", work, outputs=["first.txt"])
    with pytest.raises(CancelledError):
        run.run("second", lambda notes: None, outputs=[])
    assert folder.read_manifest().stages == {}


def test_details_and_warnings_of_a_stage_stay_in_the_manifest(folder: MeetingFolder) -> None:
    def work(notes: StageNotes) -> None:
        folder.write_text("a.txt", "a")
        notes.details["clips"] = 3
        notes.warnings.append("no speech found")

    StageRunner(folder, "d").run("vad", work, outputs=["a.txt"])
    manifest: Manifest = folder.read_manifest()
    assert manifest.stages["vad"].details == {"clips": 3}
    assert manifest.stages["vad"].warnings == ["no speech found"]
