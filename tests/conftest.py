"""Fixtures that every package's tests share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real meetings beside the checkout; its absence skips the test by name."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real meetings at {folder}: see README, 'Real meetings for the tests'")
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    """The bundled sample meetings."""
    return ROOT / "assets" / "samples"
