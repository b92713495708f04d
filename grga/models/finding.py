"""From a model's name to its files: a path, people's own copies, wheels, and last a hub. One place.

What is missing is named in one sentence together with the command that brings it.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path

from grga.errors import ModelError, unknown_name
from grga.models import hub, packaged
from grga.models.catalogue import CARDS, ModelCard
from grga.models.packaged import ASSET, PACKAGED, default_cache
from grga.models.source import ModelSource


def locate(
    name: str,
    source: ModelSource = ModelSource(),
    *,
    cache: Path | None = None,
    revision: str | None = None,
) -> Path:
    """Return the file or folder that holds the weights called ``name``.

    Looked for in this order: a path, ``source.folder``, packages and this repository, the hubs' caches,
    the hubs.

    Args:
        name: A name of ``CARDS``, a path on this machine, or a hub id ("owner/model").
        source: Where to look, and whether the network may be used.
        cache: Where assembled and downloaded weights are kept; None: the usual folders.
        revision: Branch, tag or commit on the hub, in place of the card's.

    Raises:
        ModelError: weights that are missing, damaged or unknown; a package that is not installed.
    """
    card = card_of(name)
    if (found := here(name, source, cache=cache, revision=revision)) is not None:
        return found
    if missing := missing_packages(card):
        raise ModelError(f"{name} needs {', '.join(missing)}", fix=card.install)
    if card.comes_with:  # packages are there, and yet nothing was found to look at: the backend knows where
        raise ModelError(
            f"{name} comes inside {card.comes_with} and has no folder of its own", fix=card.install
        )
    if source.offline:
        raise ModelError(f"the model {name} is not on this machine", found="offline", fix=how_to_get(card))
    return _checked(card, _fetched(card, source, cache, revision))


def here(
    name: str, source: ModelSource = ModelSource(), *, cache: Path | None = None, revision: str | None = None
) -> Path | None:
    """Return where ``name`` lies on this machine, None when it would have to be fetched.

    Raises:
        ModelError: unknown, damaged, or a copy with a file missing.
    """
    if name in ASSET:
        return packaged.asset(ASSET[name])
    card = card_of(name)
    if not card.name.startswith("whisper-") and Path(name).expanduser().exists() and name not in CARDS:
        return Path(name).expanduser()
    if (copy := _own_copy(card, source)) is not None:
        return _checked(card, copy)
    if name in PACKAGED:
        return packaged.assemble(name, PACKAGED[name], cache or default_cache())
    # Without a card nobody knows which files make a copy whole; the hub's library does, when it may ask.
    for place, id in _hubs(card, source) if card.name in CARDS or source.offline else ():
        try:
            found = hub.fetch(
                place, id, revision=revision or card.revisions.get(place), cache=cache, local_only=True
            )
        except ModelError:
            continue
        if found.is_dir() and not _lacking(card, found):
            return found
    return None


def card_of(name: str) -> ModelCard:
    """Return the card called ``name``, or a bare one for a path or a hub id.

    Raises:
        ModelError: it is none of these.
    """
    if name in CARDS:
        return CARDS[name]
    if name in PACKAGED or name in ASSET or Path(name).expanduser().exists():
        return ModelCard(name, "", "", "")
    if name.count("/") == 1 and not name.startswith((".", "/", "~")):
        return ModelCard(name, "", "", "", huggingface=name, modelscope=name)
    raise ModelError(
        unknown_name("model", name, list(CARDS)),
        fix="give one of these, a path that exists, or a hub id such as owner/model",
    )


def missing_packages(card: ModelCard) -> tuple[str, ...]:
    """Return the packages and programs that the model needs and that are not there; none is started."""
    packages = tuple(name for name in card.needs if not _installed(name))
    return packages + tuple(name for name in card.commands if shutil.which(name) is None)


def how_to_get(card: ModelCard) -> str:
    """Return in a few words how to get the weights."""
    if card.comes_with:
        return card.install
    token = " (accept its conditions there and set HF_TOKEN)" if card.gated else ""
    return f"`python -m grga models fetch {card.name}`{token}"


def _installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # the parent of "pyannote.audio" is not there either
        return False


def _own_copy(card: ModelCard, source: ModelSource) -> Path | None:
    if source.folder is None:
        return None
    for name in (card.name, *card.ids().values()):
        if (folder := source.folder.expanduser() / name).is_dir():
            return folder
    return None


def _hubs(card: ModelCard, source: ModelSource) -> list[tuple[str, str]]:
    places = [(place, id) for place, id in card.ids().items() if source.hub in ("auto", place)]
    # An id that nobody knows is taken for one of the usual hub.
    return places if card.name in CARDS else places[:1]


def _fetched(card: ModelCard, source: ModelSource, cache: Path | None, revision: str | None) -> Path:
    """Return the first hub's copy; when none has it, the error says what each answered."""
    places = _hubs(card, source)
    if not places:
        elsewhere = " or ".join(hub.NAMES[place] for place in card.ids())
        raise ModelError(f"{card.name} is not on {hub.NAMES[source.hub]}", fix=f"take it from {elsewhere}")
    problems = []
    for place, id in places:
        try:
            return hub.fetch(place, id, revision=revision or card.revisions.get(place), cache=cache)
        except ModelError as error:
            problems.append(error)
    if len(problems) == 1:
        raise problems[0]
    unreachable = all(isinstance(problem, hub.UnreachableError) for problem in problems)
    raise (hub.UnreachableError if unreachable else ModelError)(
        f"the model {card.name} cannot be fetched",
        found="; ".join(problem.what for problem in problems),
        fix="check the name and the network, or give a path to a local copy",
    )


def _checked(card: ModelCard, folder: Path) -> Path:
    if lacking := _lacking(card, folder):
        raise ModelError(
            f"the copy of {card.name} in {folder} is not whole",
            found=f"no {', no '.join(lacking)}",
            fix=f"delete it and get it again: {how_to_get(card)}",
        )
    return folder


def _lacking(card: ModelCard, folder: Path) -> list[str]:
    """Return the card's files that are missing or empty."""
    paths = {name: folder / name for name in card.files}
    return [name for name, path in paths.items() if not path.is_file() or path.stat().st_size == 0]
