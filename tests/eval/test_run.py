"""Asking every question of every system: nothing twice, nothing lost, the same whoever does the work."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from eval.corpora import Corpus, open_corpus
from eval.run import Work, answer_all, ask_here, ask_in_processes, run
from eval.runs import Run, RunRecord
from eval.systems import parse_all
from grga.baselines.text_rag import TextRag
from grga.config import Config, load_config
from grga.errors import EvaluationError, ModelServerError

Mini = Callable[[int], Path]
SYSTEMS = parse_all(["grga", "text_rag"])
HEARD: list[str] = []
quiet: Callable[[str], None] = HEARD.append


def timeless(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Records in one order, without the seconds that no two runs share."""
    plain = [one.model_copy(update={"seconds": 0.0, "phases": {}}) for one in records]
    return sorted(plain, key=lambda one: one.place)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load_config(overrides={"home": tmp_path / "home"}, environment={})


class Counting:
    """An engine that remembers what it was asked; ``stop`` ends it before the piece of work of that number."""

    def __init__(self, stop: int | None = None) -> None:
        self.asked: list[tuple[str, str]] = []
        self.stop = stop

    def __call__(self, works: Sequence[Work]) -> Iterator[list[RunRecord]]:
        for number, work in enumerate(works):
            if number == self.stop:
                raise KeyboardInterrupt
            self.asked += [(item.key, system.name) for item, system in work.asked]
            yield from ask_here([work])


def ask(corpus: Corpus, path: Path, config: Config, folder: Path, **options: Any) -> Run:
    return run(corpus, path, SYSTEMS, config, folder, say=quiet, **options)


@pytest.fixture
def mini(mini_qmsum: Mini) -> tuple[Corpus, Path]:
    """Three short meetings with two questions each."""
    path = mini_qmsum(3)
    return open_corpus("qmsum", path), path


@pytest.mark.slow
def test_a_stopped_run_goes_on_and_asks_nothing_twice(
    mini: tuple[Corpus, Path], config: Config, tmp_path: Path
) -> None:
    whole = ask(*mini, config, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        ask(*mini, config, tmp_path / "run", engine=Counting(stop=2))
    cut = Run(tmp_path / "run")
    assert len(list(cut.records())) == 8
    cut.answers_file.write_bytes(cut.answers_file.read_bytes()[:-30])  # killed while writing
    rest = Counting()
    result = ask(*mini, config, tmp_path / "run", engine=rest)
    assert len(rest.asked) == 12 - 7
    assert timeless(result.records()) == timeless(whole.records())
    again = Counting()
    ask(*mini, config, tmp_path / "run", engine=again)
    assert again.asked == []


def test_a_record_holds_all_that_scoring_needs(
    mini: tuple[Corpus, Path], config: Config, tmp_path: Path
) -> None:
    result = ask(*mini, config, tmp_path / "run", limit=1, seed=5)
    manifest = result.manifest()
    assert (manifest.items, manifest.seed, manifest.limit, list(manifest.meetings)) == (2, 5, 1, ["mini0"])
    assert "home" not in manifest.settings
    one = next(one for one in result.records() if one.place == ("mini0-s00", "grga"))
    assert one.item.reference == "It lasts nine months."
    assert one.item.meeting == manifest.meetings["mini0"]
    assert one.found
    assert "battery" in " ".join(cited.text for cited in one.cited)
    assert set(one.retrieved) >= {cited.utterance for cited in one.cited}
    assert one.rounds >= 1
    assert one.tools
    assert one.seconds > 0


@pytest.mark.slow
def test_processes_give_the_records_of_one_process(
    mini: tuple[Corpus, Path], config: Config, tmp_path: Path
) -> None:
    here = ask(*mini, config, tmp_path / "here")
    spread = ask(*mini, config, tmp_path / "spread", engine=ask_in_processes(2))
    assert timeless(spread.records()) == timeless(here.records())


def test_a_question_that_fails_is_recorded_and_asked_again_next_time(
    mini: tuple[Corpus, Path], config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: TextRag, question: str, meeting: object, *rest: object) -> Iterator[object]:
        raise ModelServerError("the model server is gone", fix="start it")
        yield

    with monkeypatch.context() as broken:
        broken.setattr(TextRag, "answer", fail)
        result = ask(*mini, config, tmp_path / "run", limit=1)
    failed = [one for one in result.records() if one.error]
    assert [(one.system, one.error) for one in failed] == [
        ("text_rag", "the model server is gone: start it")
    ] * 2
    assert all(not one.sentences and not one.found for one in failed)
    again = Counting()
    result = ask(*mini, config, tmp_path / "run", limit=1, engine=again)
    assert again.asked == [("mini0-s00", "text_rag"), ("mini0-s01", "text_rag")]
    newest = {one.place: one for one in result.records()}
    assert not any(one.error for one in newest.values())


@pytest.mark.slow
def test_answers_of_other_settings_or_another_corpus_are_not_mixed(
    mini: tuple[Corpus, Path], config: Config, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    ask(*mini, config, folder, limit=1)
    before = list(Run(folder).records())
    other = config.model_copy(update={"agent": config.agent.model_copy(update={"k_max": 1})})
    with pytest.raises(EvaluationError, match="holds a run of QMSum with other settings"):
        ask(*mini, other, folder, limit=1)
    assert list(Run(folder).records()) == before
    assert Run(folder).manifest().settings["agent"]["k_max"] == config.agent.k_max
    elsewhere = config.model_copy(update={"home": config.home.parent / "moved"})
    config.home.rename(elsewhere.home)
    ask(*mini, elsewhere, folder, limit=1)  # where the meetings lie is no setting of theirs


def test_work_can_travel(mini: tuple[Corpus, Path], config: Config, tmp_path: Path) -> None:
    seen: list[Work] = []

    def note(works: Sequence[Work]) -> Iterator[list[RunRecord]]:
        seen.extend(works)
        return ask_here(works)

    result = ask(*mini, config, tmp_path / "run", limit=1, engine=note)
    [work] = [pickle.loads(pickle.dumps(one)) for one in seen]
    assert timeless(answer_all(work)) == timeless(result.records())
