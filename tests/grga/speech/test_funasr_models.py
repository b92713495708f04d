"""The one door to FunASR: its chatter stays inside, its failures come out as one sentence."""

from __future__ import annotations

import logging
import sys
import warnings
from pathlib import Path

import pytest

from grga.errors import ModelError
from grga.speech.funasr_models import load_funasr, quiet, run_funasr


def test_without_the_package_the_sentence_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "funasr", None)
    with pytest.raises(ModelError, match=r"FunASR cannot be used: .*: pip install 'grga\[full\]'$"):
        load_funasr(tmp_path, "cpu")


def test_chatter_is_kept_and_logging_is_left_as_it_was(capfd: pytest.CaptureFixture[str]) -> None:
    root = logging.getLogger()
    before = (root.level, list(root.handlers), logging.root.manager.disable)
    with quiet():
        print("a table")
        print("a bar", file=sys.stderr)
        warnings.warn("old", stacklevel=1)
        logging.warning("a notice")
        root.setLevel(logging.DEBUG)
        root.addHandler(logging.NullHandler())
    assert capfd.readouterr() == ("", "")
    assert (root.level, list(root.handlers), logging.root.manager.disable) == before


def test_a_failure_at_work_is_one_sentence_and_a_result_passes_through() -> None:
    def fail() -> None:
        raise RuntimeError("shapes differ.\nsecond line")

    with pytest.raises(ModelError, match=r"^FSMN-VAD failed: shapes differ: look at the log"):
        run_funasr(fail, "FSMN-VAD")
    assert run_funasr(lambda: 7, "FSMN-VAD") == 7
