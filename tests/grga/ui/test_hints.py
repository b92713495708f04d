"""Names and words to listen for: from a text field to the settings of recognition, and back into the form."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grga.config import Config
from grga.errors import JobError
from grga.manifest import Manifest, Source, StageRecord
from grga.ui.hints import LONGEST_HINT, MOST_HINTS, as_text, hints_of
from grga.ui.indexing import _is_as_asked, _with
from grga.ui.rerun_panel import hints_used
from grga.ui.services import Services


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    made = Services.open(Config(home=tmp_path / "home"))
    yield made
    made.jobs.close()


def test_commas_and_lines_separate_and_white_space_does_not_matter() -> None:
    assert hints_of(" Lumen,  Ms  Okafor\nERes2Net；台灯，小红、Lumen\n\n,") == (
        "Lumen",
        "Ms Okafor",
        "ERes2Net",
        "台灯",
        "小红",
    )
    assert hints_of("") == hints_of(None) == ()
    assert hints_of(as_text(("Lumen", "Ms Okafor"))) == ("Lumen", "Ms Okafor")


def test_a_sentence_and_a_dictionary_are_refused_in_one_sentence() -> None:
    with pytest.raises(JobError, match=r"is too long to listen for .*put commas between them"):
        hints_of("x" * (LONGEST_HINT + 1))
    with pytest.raises(JobError, match=r"101 names and words are too many to listen for .*at most 100"):
        hints_of(",".join(f"word {n}" for n in range(MOST_HINTS + 1)))


def test_they_reach_the_settings_of_recognition() -> None:
    config = Config.model_validate({"asr": {"hints": ["House word"]}})
    assert _with(config, None, None, None).asr.hints == ("House word",)
    assert _with(config, None, "zh", ["Lumen"]).asr == config.asr.model_copy(
        update={"language": "zh", "hints": ("Lumen",)}
    )
    assert _with(config, None, None, []).asr.hints == ()


def recognised(hints: list[str] | None) -> Manifest:
    options = {} if hints is None else {"hints": hints}
    asr = StageRecord(settings="", inputs={}, output="", seconds=1.0, options=options)
    source = Source(name="a.wav", digest="0", kind="audio")
    return Manifest(
        id="a-1", title="a", created=datetime(2026, 3, 1, tzinfo=UTC), source=source, stages={"asr": asr}
    )


def test_the_same_recording_with_other_words_to_listen_for_is_no_duplicate() -> None:
    assert _is_as_asked(recognised(["Lumen"]), {"hints": ["Lumen"]})
    assert _is_as_asked(recognised(["Lumen"]), {"hints": None})
    assert not _is_as_asked(recognised(["Lumen"]), {"hints": ["Okafor"]})
    assert not _is_as_asked(recognised(None), {"hints": ["Okafor"]})


def test_the_form_to_run_again_starts_with_what_was_used(services: Services) -> None:
    folder = services.store.create("a", Source(name="a.wav", digest="0" * 64, kind="audio"))
    manifest = folder.read_manifest()
    assert hints_used(services, folder.id) == ()
    manifest.stages = recognised(["Lumen", "Okafor"]).stages
    folder.write_manifest(manifest)
    assert hints_used(services, folder.id) == ("Lumen", "Okafor")


def test_a_job_keeps_them_for_its_next_try(services: Services, tmp_path: Path) -> None:
    file = tmp_path / "a.wav"
    file.write_bytes(b"RIFF")
    job = services.jobs.submit([("a.wav", file)], {"hints": ["Lumen"]}, visitor="Ann")
    services.jobs.cancel(job.id or 0, "Ann")
    services.jobs.retry(job.id or 0, "Ann")
    [again] = services.jobs.jobs(visitor="Ann")
    assert (again.state.value, again.given()["hints"]) == ("queued", ["Lumen"])
