"""A handmade meeting, the bundled samples, and the scripted model server of the other tests."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from annotation.schema import AnswerKey, Evidence, Generator, QAItem
from grga import samples
from grga.agent.steps import QuestionType
from grga.store import IndexedMeeting, Store

TESTS = Path(__file__).resolve().parents[2]


def _module(path: str) -> ModuleType:
    """Return the test module at ``path``; its fixtures serve here as well."""
    name = f"shared_{Path(path).stem}_{Path(path).parent.name}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, TESTS / path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


serve = _module("grga/conftest.py").serve
contract = _module("grga/agent/conftest.py").contract
lamp = _module("grga/agent/conftest.py").lamp
lamp_zh = _module("grga/agent/conftest.py").lamp_zh
word_encoder = _module("grga/agent/conftest.py").WordEncoder
port = _module("grga/llm/test_small_model.py").port


@pytest.fixture(scope="session")
def encoder() -> Any:
    """A text encoder that compares words, without weights."""
    return word_encoder()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A home with both bundled samples, as the first start brings them in."""
    store = Store(tmp_path_factory.mktemp("home"))
    samples.install(store)
    return store


@pytest.fixture(scope="session")
def lantern(store: Store) -> IndexedMeeting:
    """The English sample."""
    return store.load(next(line.id for line in store.meetings() if "Lantern" in line.id))


@pytest.fixture(scope="session")
def garden(store: Store) -> IndexedMeeting:
    """The Mandarin sample."""
    return store.load(next(line.id for line in store.meetings() if "Lantern" not in line.id))


@pytest.fixture
def item(contract: IndexedMeeting) -> Callable[..., QAItem]:
    """Return a function that makes an item about the contract: a good one, but for what is said otherwise."""

    def make(*evidence: int, **values: Any) -> QAItem:
        good: dict[str, Any] = {
            "key": "contract-1",
            "meeting": "contract",
            "type": QuestionType.FACTUAL,
            "subtask": "attribute association",
            "question": "How much is the new service fee that Tom announces?",
            "answer": "Two hundred euros.",
            "evidence": tuple(Evidence.of(contract.meeting, id) for id in evidence or (8,)),
            "answer_key": AnswerKey(utterances=(8,)),
            "generator": Generator(name="human"),
        }
        return QAItem.model_validate({**good, **values})

    return make
