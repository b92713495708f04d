"""Ray does the same work as one process, also when one of its workers is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from eval.corpora import open_corpus
from eval.ray_engine import RayPool
from eval.run import ask_here, index_all
from eval.run import run as ask_all
from eval.runs import RunRecord
from eval.systems import parse_all
from grga.config import load_config
from grga.errors import ConfigError
from grga.store import Store

pytestmark = pytest.mark.slow
SYSTEMS = parse_all(["grga", "text_rag"])


def timeless(records: Iterable[RunRecord]) -> dict[tuple[str, str], RunRecord]:
    """Records by item and system, without the seconds that no two runs share."""
    return {one.place: one.model_copy(update={"seconds": 0.0, "phases": {}}) for one in records}


def test_ray_gives_the_records_of_one_process_and_survives_the_kill_of_a_worker(
    mini_qmsum: Callable[[int], Path], tmp_path: Path
) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install ray==2.60.0")
    path = mini_qmsum(6)
    corpus = open_corpus("qmsum", path)
    here = load_config(overrides={"home": tmp_path / "here"})
    there = load_config(overrides={"home": tmp_path / "there"})
    quiet: Callable[[str], None] = [].append
    plain = ask_all(corpus, path, SYSTEMS, here, tmp_path / "plain", engine=ask_here, say=quiet)

    with RayPool(2, there.home) as pool:
        indexed, _ = index_all(corpus, Store(there.home), there, indexer=pool.index, say=quiet)
        assert indexed == plain.manifest().meetings

        victim = pool.pids()[0]
        killed = []

        def kill_after_the_first(line: str) -> None:
            if line.startswith("asked") and not killed:
                os.kill(victim, signal.SIGKILL)
                killed.append(victim)

        by_ray = ask_all(
            corpus,
            path,
            SYSTEMS,
            there,
            tmp_path / "ray",
            engine=pool.ask,
            indexer=pool.index,
            say=kill_after_the_first,
        )
        assert killed == [victim]
        assert victim not in pool.pids()

    assert len(timeless(plain.records())) == 24
    assert timeless(by_ray.records()) == timeless(plain.records())


def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("ray", reason="ray is not installed: pip install ray==2.60.0")
    with pytest.raises(ConfigError, match=r"cannot be reached at auto: .*leave --address out"):
        RayPool(2, tmp_path, "auto")
