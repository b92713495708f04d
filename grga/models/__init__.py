"""Models: which there are, where their weights come from, and what they run on."""

from __future__ import annotations

from grga.models.catalogue import BACKENDS, CARDS, ModelCard
from grga.models.finding import card_of, here, how_to_get, locate, missing_packages
from grga.models.packaged import (
    ASSET,
    PACKAGED,
    AssetModel,
    PackagedModel,
    check_sha256,
    default_cache,
    package_folder,
)
from grga.models.source import ModelSource

__all__ = [
    "ASSET",
    "BACKENDS",
    "CARDS",
    "PACKAGED",
    "AssetModel",
    "ModelCard",
    "ModelSource",
    "PackagedModel",
    "card_of",
    "check_sha256",
    "default_cache",
    "here",
    "how_to_get",
    "locate",
    "missing_packages",
    "package_folder",
]
