"""The pages' routes over a home with one recorded meeting."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotation import queries, workflow
from annotation.schema import Evidence, Generator, QAItem
from annotation.ui.desk import Desk
from annotation.ui.routes import routes
from annotation.workspace import Rules, Workspace
from grga.agent.steps import QuestionType
from grga.audio import SAMPLE_RATE, write_wav
from grga.config import load_config
from grga.ingest import import_transcript
from grga.store import Store
from grga.ui.services import Services

TESTS = Path(__file__).resolve().parents[2]


def _scripted() -> ModuleType:
    """Return the module with the scripted model server of the other tests."""
    spec = spec_from_file_location("shared_conftest_grga_ui", TESTS / "grga" / "conftest.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


serve = _scripted().serve

TRANSCRIPT = """\
1
00:00:01,000 --> 00:00:04,000
Rosa: There are no hidden costs in this offer.

2
00:00:05,000 --> 00:00:08,000
Imran: There is a handling fee of fifty pounds.

3
00:00:09,000 --> 00:00:11,000
Rosa: Who signed this offer?
"""


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one recorded meeting: silence, then a tone."""
    home = tmp_path_factory.mktemp("home")
    (home / "fees.srt").write_text(TRANSCRIPT, encoding="utf-8")
    tone = 0.3 * np.sin(2 * np.pi * 220 * np.arange(12 * SAMPLE_RATE) / SAMPLE_RATE)
    tone[: 6 * SAMPLE_RATE] *= 0.1
    write_wav(home / "fees.wav", tone.astype(np.float32))
    config = load_config(overrides={"home": home})
    import_transcript(home / "fees.srt", Store(home), config, recording=home / "fees.wav")
    return home


@pytest.fixture
def office(imported: Path, tmp_path: Path) -> Iterator[Desk]:
    """A desk over a home of the test's own; two annotators per question, no gold ones."""
    home = tmp_path / "home"
    shutil.copytree(imported, home)
    services = Services.open(load_config(overrides={"home": home}))
    workspace = Workspace.open(home, store=services.store, rules=Rules(gold_every=0))
    desk = Desk(services, workspace)
    yield desk
    desk.generating.close()


@pytest.fixture
def client(office: Desk) -> Iterator[TestClient]:
    with TestClient(Starlette(routes=routes(office))) as client:
        yield client


@pytest.fixture
def meeting(office: Desk) -> str:
    return office.meetings()[0].id


@pytest.fixture
def propose(office: Desk, meeting: str) -> Any:
    """Return a function that adds a question with this key and returns it."""

    def add(key: str = "q1", *, overlap: int = 2, **values: Any) -> QAItem:
        said = office.workspace.meeting(meeting)
        item = QAItem.model_validate(
            {
                "key": key,
                "meeting": meeting,
                "type": QuestionType.FACTUAL,
                "subtask": "attribute association",
                "question": f"How high is the handling fee? ({key})",
                "answer": "Fifty pounds.",
                "evidence": (Evidence.of(said, 1),),
                "generator": Generator(name="offline", prompt="rules 1"),
                **values,
            }
        )
        workflow.add_items(office.workspace, [item], "setup", overlap=overlap)
        return item

    return add


@pytest.fixture
def stands(office: Desk) -> Any:
    """Return a function that looks an item up as it is now."""

    def look(key: str) -> QAItem:
        with office.workspace.reading() as session:
            return queries.item(session, key)

    return look
