"""The data set with sound: as ``datasets.DatasetDict``, as a folder, and on the Hugging Face hub."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from annotation.export.card import card
from annotation.export.parquet import table
from annotation.export.splits import RATIOS, split_meetings
from annotation.export.statistics import statistics
from annotation.schema import QAItem
from grga.audio import SAMPLE_RATE
from grga.errors import AnnotationError
from grga.manifest import saving_to
from grga.types import Meeting

if TYPE_CHECKING:
    from datasets import DatasetDict

    from grga.audio import Waveform

Listen = Callable[[str], "Waveform | None"]
"""Returns the recording of a meeting, None where there is none."""


def to_dataset(
    items: Collection[QAItem], listen: Listen, ratios: Mapping[str, float] = RATIOS, seed: int = 0
) -> DatasetDict:
    """Return the items by split, each with the sound of its evidence in the column ``clips``.

    Raises:
        AnnotationError: there are no items, or the package ``datasets`` is not installed.
    """
    try:
        import pyarrow as pa
        from datasets import Audio, Dataset, DatasetDict, DatasetInfo, Features, List
        from datasets.table import InMemoryTable
    except ImportError:
        raise AnnotationError(
            "a data set needs the package datasets", fix="install GRGA with pip install 'grga[full]'"
        ) from None
    if not items:
        raise AnnotationError("there is no question to export", fix="verify some first, or choose others")
    place = split_meetings({item.meeting for item in items}, ratios, seed)
    sound = pa.list_(pa.struct({"bytes": pa.binary(), "path": pa.string()}))
    splits = {}
    for name in ratios:
        chosen = [item for item in items if place[item.meeting] == name]
        if chosen:
            content = table(chosen).append_column("clips", pa.array(_clips(chosen, listen), sound))
            features = Features.from_arrow_schema(content.schema)
            # The clips are encoded already; to cast the column would need a decoder of its own.
            features["clips"] = List(Audio(sampling_rate=SAMPLE_RATE))
            splits[name] = Dataset(
                InMemoryTable(content.cast(features.arrow_schema)), DatasetInfo(features=features)
            )
    return DatasetDict(splits)


def write_dataset(
    folder: Path,
    items: Sequence[QAItem],
    meetings: Mapping[str, Meeting],
    listen: Listen,
    *,
    ratios: Mapping[str, float] = RATIOS,
    seed: int = 0,
) -> list[Path]:
    """Write ``folder``/data/SPLIT.parquet and README.md, and return the files: what the hub would hold.

    Args:
        folder: Made when missing; files in it are replaced.
        items: In the order in which they are to stand.
        meetings: Those that are here, for the figures.
        listen: For the clips.
        ratios: Share of the meetings in each split.
        seed: Of the splits.

    Raises:
        AnnotationError: there are no items, or a package is missing.
        StoreError: the folder cannot be written.
    """
    splits = to_dataset(items, listen, ratios, seed)
    written = []
    with saving_to(folder):
        (folder / "data").mkdir(parents=True, exist_ok=True)
        for name, rows in splits.items():
            file = folder / "data" / f"{name}.parquet"
            rows.to_parquet(str(file))
            written.append(file)
        readme = folder / "README.md"
        names = {name: sorted(set(rows["meeting"])) for name, rows in splits.items()}
        here = {item.meeting for item in items if listen(item.meeting) is not None}
        clips = sum(item.meeting in here and bool(item.evidence) for item in items)
        text = card(items, statistics(items, meetings), names, ratios, seed, clips)
        readme.write_text(text, encoding="utf-8")
    return [*written, readme]


def push(
    folder: Path, repository: str, token: str | None, *, private: bool = True, endpoint: str | None = None
) -> str:
    """Upload what :func:`write_dataset` wrote to the hub and return its address there.

    Args:
        folder: Of the data set.
        repository: OWNER/NAME; made when missing.
        token: One that may write.
        private: Whether a new repository is for its owner alone.
        endpoint: Another hub than huggingface.co.

    Raises:
        AnnotationError: no token, or the hub refuses or cannot be reached.
    """
    if not token:
        raise AnnotationError(
            "nothing was sent to the Hugging Face hub: a token that may write is needed",
            fix="set HF_TOKEN or give --token",
        )
    import httpx2  # huggingface_hub's client; its connection errors come up as they are
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HFValidationError

    hub = HfApi(endpoint, token)
    try:
        address = hub.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
        hub.upload_folder(
            folder_path=folder,
            repo_id=repository,
            repo_type="dataset",
            allow_patterns=["README.md", "data/*.parquet"],
            commit_message="Add questions with their evidence",
        )
    except (httpx2.HTTPError, HFValidationError, OSError) as error:
        reason = str(error).strip().splitlines()[0]
        raise AnnotationError(
            f"the data set could not be sent to {repository}: {reason}",
            fix="check the name OWNER/NAME, the token's rights and the network",
        ) from error
    return str(address)


def _clips(items: Sequence[QAItem], listen: Listen) -> list[list[dict[str, Any]]]:
    recordings = {meeting: listen(meeting) for meeting in {item.meeting for item in items}}
    return [
        []
        if (recording := recordings[item.meeting]) is None
        else [
            {"bytes": _flac(recording.samples(one.span)), "path": f"{item.key}-{place}.flac"}
            for place, one in enumerate(item.evidence)
        ]
        for item in items
    ]


def _flac(samples: Any) -> bytes:
    import soundfile

    out = io.BytesIO()
    soundfile.write(out, samples, SAMPLE_RATE, format="FLAC")
    return out.getvalue()
