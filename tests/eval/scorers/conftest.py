"""A run made by hand, and the scripted model server of the other tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from eval.items import EvalItem
from eval.runs import Run, RunRecord

_FILE = Path(__file__).resolve().parents[2] / "grga" / "conftest.py"
_SPEC = spec_from_file_location("shared_scripted_server", _FILE)
assert _SPEC is not None
assert _SPEC.loader is not None
_MODULE = sys.modules[_SPEC.name] = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_MODULE)
serve = _MODULE.serve


def answer(item: str, system: str) -> RunRecord:
    """Return an answer; no two are alike, or a judge's reply to one would be kept for the other."""
    asked = EvalItem(
        key=item, corpus="made up", meeting="m1", question=f"How much is {item}?", reference="Two euros."
    )
    return RunRecord(item=asked, system=system, sentences=((f"{system} says two euros.", ()),), found=True)


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Run]:
    """Return a function that writes a run: three questions to two systems unless told otherwise."""

    def make(items: int = 3, systems: tuple[str, ...] = ("grga", "text_rag")) -> Run:
        run = Run(tmp_path / "run")
        run.append(answer(f"q{item}", system) for item in range(1, items + 1) for system in systems)
        return run

    return make
