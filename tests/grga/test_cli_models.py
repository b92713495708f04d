"""``python -m grga models``: what there is, where it comes from, and whether it can be used now."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from grga import cli_models
from grga.cli import app
from grga.errors import ModelError
from grga.models import CARDS, ModelCard, ModelSource


@pytest.fixture
def own_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of people's own copies, set in the environment; no network."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRGA_MODELS__FOLDER", str(tmp_path / "own"))
    monkeypatch.setenv("GRGA_MODELS__OFFLINE", "true")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "own"


def call(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["models", *arguments])


def listed() -> dict[str, dict[str, Any]]:
    result = call("--json")
    assert result.exit_code == 0, result.output
    return {one["name"]: one for one in json.loads(result.stdout)}


@pytest.mark.usefixtures("own_copies")
def test_every_model_is_listed_with_source_size_licence_and_whether_it_is_usable() -> None:
    found = listed()
    assert found.keys() == CARDS.keys()
    assert found["ge2e"] == {
        "name": "ge2e",
        "task": "diarization",
        "what": "GE2E voices, 256 numbers",
        "source": "this repository",
        "revisions": {},
        "megabytes": 5.7,
        "licence": "Apache-2.0",
        "usable": True,
        "state": "yes",
    }
    assert found["whisper-tiny"]["source"] == {"huggingface": "Systran/faster-whisper-tiny"}
    assert found["whisper-tiny"]["usable"] is False
    assert found["whisper-tiny"]["state"] == "not fetched: `python -m grga models fetch whisper-tiny`"
    assert all(one["licence"] and one["source"] and one["task"] for one in found.values())


@pytest.mark.usefixtures("own_copies")
def test_the_table_has_a_line_for_each() -> None:
    lines = call().stdout.splitlines()
    assert lines[0].split() == ["task", "name", "MB", "licence", "usable", "now", "source"]
    rows = {line.split()[1]: line for line in lines if line.split()[1:2] and line.split()[1] in CARDS}
    assert rows["silero"].split() == ["vad", "silero", "1.3", "MIT", "yes", "faster-whisper"]
    assert "no: to fetch" in rows["whisper-small"]
    assert "484" in rows["whisper-small"]


def test_a_copy_of_ones_own_makes_a_model_usable(own_copies: Path) -> None:
    folder = own_copies / "Systran" / "faster-whisper-tiny"
    folder.mkdir(parents=True)
    for file in CARDS["whisper-tiny"].files:
        (folder / file).write_bytes(b"weights")
    assert listed()["whisper-tiny"]["usable"] is True
    assert call("check", "whisper-tiny").exit_code == 0
    (folder / "model.bin").write_bytes(b"")
    assert listed()["whisper-tiny"]["usable"] is False
    result = call("check", "whisper-tiny")
    assert result.exit_code == 1
    assert isinstance(result.exception, ModelError)
    assert f"the copy of whisper-tiny in {folder} is not whole (found no model.bin)" in str(result.exception)


@pytest.mark.usefixtures("own_copies")
def test_a_check_of_all_passes_over_what_is_not_here_and_names_what_is_damaged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli_models, "CARDS", {name: CARDS[name] for name in ("ge2e", "whisper-tiny")})
    result = call("check", "--json")
    assert result.exit_code == 0
    assert [(one["name"], one["usable"]) for one in json.loads(result.stdout)] == [
        ("ge2e", True),
        ("whisper-tiny", False),
    ]
    assert call("check", "whisper-tiny").exit_code == 1  # asked for by name, it must be here
    monkeypatch.setattr("grga.models.packaged.assets", lambda: Path("nowhere"))
    result = call("check")
    assert str(result.exception) == (
        "not every model can be used (found ge2e: the model file ge2e.onnx is missing from assets/models: "
        "restore assets/models from the repository)"
    )


@pytest.mark.usefixtures("own_copies")
def test_a_missing_package_is_said_with_the_command_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    card = ModelCard(
        "odd", "vad", "odd", "MIT", huggingface="a/b", needs=("no_such_package",), install="pip install such"
    )
    state = cli_models.state_of(card, ModelSource(offline=True))
    assert (state.usable, state.short) == (False, "no: needs no_such_package")
    assert state.said == "needs no_such_package: pip install such"


@pytest.mark.usefixtures("own_copies")
def test_all_that_cannot_be_fetched_is_said_at_once() -> None:
    result = call("fetch", "ge2e", "whisper-tiny", "whisper-small")
    assert result.exit_code == 1
    assert result.stdout == "ge2e: comes with this repository\n"
    assert str(result.exception) == (
        "the model whisper-tiny is not on this machine (found offline): `python -m grga models fetch whisper-tiny`; "
        "the model whisper-small is not on this machine (found offline): `python -m grga models fetch whisper-small`"
    )
    result = call("fetch", "wisper")
    assert "unknown model 'wisper' (known: " in str(result.exception)


@pytest.mark.slow
def test_listing_loads_neither_torch_nor_what_would_load_it(tmp_path: Path) -> None:
    code = (
        "import sys; from typer.testing import CliRunner; from grga.cli import app; "
        "assert CliRunner().invoke(app, ['models', '--json']).exit_code == 0; "
        "print([name for name in ('torch', 'funasr', 'transformers', 'modelscope') if name in sys.modules])"
    )
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "[]\n", done.stderr


def test_the_page_on_models_lists_what_the_catalogue_holds() -> None:
    page = (Path(__file__).parents[2] / "docs" / "speech-models.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in page.splitlines() if line.startswith("| `")}
    assert list(rows) == list(CARDS)
    for name, card in CARDS.items():
        assert card.licence in rows[name], name
        assert all(id in rows[name] for id in card.ids().values()), name
        assert all(pin[:8] in rows[name] for pin in card.revisions.values()), name
