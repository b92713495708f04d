"""The services of an app on an empty home, and a desk on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.ui.studies import Studies
from grga.config import load_config
from grga.ui.services import Services


@pytest.fixture
def studies(tmp_path: Path) -> Studies:
    return Studies.open(Services.open(load_config(None, overrides={"home": tmp_path})))
