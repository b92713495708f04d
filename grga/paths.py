"""Where the files that come with GRGA lie."""

from __future__ import annotations

from pathlib import Path


def assets() -> Path:
    """Return the folder of bundled files (models, sample meetings, style).

    In a checkout that is ``assets/`` beside the package; in an installed wheel, ``grga/_assets/``.
    """
    package = Path(__file__).resolve().parent
    installed = package / "_assets"
    return installed if installed.is_dir() else package.parent / "assets"
