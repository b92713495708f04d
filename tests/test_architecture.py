"""The house rules: imports point one way, pins agree, start-up stays light."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False)


def test_imports_point_one_way() -> None:
    result = run("-c", "from importlinter.cli import lint_imports_command as lint; lint()")
    assert result.returncode == 0, result.stdout + result.stderr


def requirement_lines(name: str) -> set[str]:
    lines = (line.strip() for line in (ROOT / name).read_text().splitlines())
    return {line for line in lines if line and not line.startswith("#")}


def test_requirements_are_the_project_s_own_pins() -> None:
    full = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["full"]
    assert requirement_lines("requirements.txt") == set(full)


@pytest.mark.parametrize("pin", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"])
def test_every_dependency_is_pinned_exactly(pin: str) -> None:
    assert "==" in pin


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys, grga.cli, grga.ingest\n"
        "heavy = {'torch', 'funasr', 'faster_whisper', 'onnxruntime', 'gradio', 'datasets', 'faiss'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    result = run("-c", code)
    assert result.stdout.strip() == "[]", result.stderr


def test_help_lists_the_commands() -> None:
    result = run("-m", "grga", "--help")
    assert result.returncode == 0
    for command in ("index", "import", "meetings", "show", "ask", "delete"):
        assert command in result.stdout
