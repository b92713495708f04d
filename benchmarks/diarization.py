"""Clustering alone: speakers found and told apart when it is known where speech is.

    python -m benchmarks.diarization [--data ../shared/data]

Speech is taken from the reference, so nothing is missed for want of a detector; the encoder is GE2E. Material:
conversations put together from nine LibriSpeech readers (one to eight of them, five minutes, turns of half a
second to twenty, nobody interrupts; every other one with the echo of a room and noise), and the AMI clips. DER is
that of :mod:`eval.speech`, seconds of all recordings added before rates are made. Prints the table of
``docs/diarization.md``.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from eval.speech.der import SCORINGS, SpeakerErrors, speaker_errors
from eval.speech.reading import Said, read_speech
from grga import registry
from grga.audio import SAMPLE_RATE, Waveform, decode, write_wav
from grga.speech.diarization import CLUSTERINGS, Embeddings, SpeakerEncoder, load_encoder
from grga.speech.diarization.segments import cut_windows, to_segments
from grga.types import TimeSpan

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
COUNTS = (1, 2, 3, 4, 6, 8)
SEEDS = range(4)
SECONDS = 300.0
AMI = "AMI clips"
Samples = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Heard:
    """A recording with its turns, and the voices of its windows: all that a clustering sees."""

    turns: list[Said]
    speech: list[TimeSpan]
    windows: list[TimeSpan]
    voices: Embeddings
    in_a_room: bool = False

    @property
    def speakers(self) -> int:
        """How many speak."""
        return len({turn.speaker for turn in self.turns})


def conversation(
    readers: Mapping[str, list[Samples]], count: int, seed: int, seconds: float = SECONDS
) -> tuple[Samples, list[Said]]:
    """Return a made-up conversation of ``count`` readers and its turns; odd seeds put it into a room."""
    rng = np.random.default_rng([count, seed])
    speakers = [str(name) for name in rng.choice(sorted(readers), count, replace=False)]
    shares = rng.dirichlet(np.full(count, 3.0))
    gains = {name: 0.4 * 10 ** (rng.uniform(-5, 5) / 20) for name in speakers}
    place = {name: (int(rng.integers(len(readers[name]))), 0) for name in speakers}
    pieces: list[Samples] = []
    turns: list[Said] = []
    at, latest = 0, ""
    while at < seconds * SAMPLE_RATE:
        name = str(rng.choice(speakers, p=shares))
        if name == latest and count > 1:
            continue
        latest = name
        length = int(SAMPLE_RATE * np.clip(rng.lognormal(1.2, 0.8), 0.5, 20))
        number, offset = place[name]
        reading = readers[name][number % len(readers[name])]
        piece = gains[name] * reading[offset : offset + length]
        more = offset + length < len(reading) - SAMPLE_RATE
        place[name] = (number, offset + length) if more else (number + 1, 0)
        turns.append(Said(name, TimeSpan(at / SAMPLE_RATE, (at + len(piece)) / SAMPLE_RATE)))
        pause = int(SAMPLE_RATE * np.clip(rng.normal(0.3, 0.3), 0.02, 2))
        pieces += [piece, np.zeros(pause, np.float32)]
        at += len(piece) + pause
    mix = np.concatenate(pieces)
    return (_in_a_room(mix, rng) if seed % 2 else mix), turns


def _in_a_room(dry: Samples, rng: np.random.Generator) -> Samples:
    """Add an echo that fades within 0.4 s and noise 26 dB below the speech."""
    from scipy.signal import fftconvolve

    time = np.arange(round(0.4 * SAMPLE_RATE)) / SAMPLE_RATE
    echo = 0.35 * rng.normal(size=len(time)) * np.exp(-time / 0.06)
    echo[0] = 8
    wet = fftconvolve(dry, echo / np.linalg.norm(echo))[: len(dry)]
    wet += 10 ** (-26 / 20) * wet.std() * rng.normal(size=len(wet))
    return (0.3 * wet / np.abs(wet).max()).astype(np.float32)


def conversations(data: Path, encoder: SpeakerEncoder, seeds: Sequence[int] = SEEDS) -> Iterator[Heard]:
    """Yield the conversations of LibriSpeech readers."""
    readers: dict[str, list[Samples]] = {}
    for path in sorted((data / "audio" / "librispeech").glob("*.flac")):
        samples, _ = soundfile.read(path, dtype="float32")
        readers.setdefault(path.name.split("-")[0], []).append(samples)
    for count in COUNTS:
        for seed in seeds:
            mix, turns = conversation(readers, count, seed)
            with tempfile.TemporaryDirectory() as folder:
                wav = Path(folder) / "mix.wav"
                write_wav(wav, mix)
                yield replace(_heard(wav, turns, encoder), in_a_room=seed % 2 == 1)


def clips(data: Path, encoder: SpeakerEncoder) -> Iterator[Heard]:
    """Yield the AMI clips."""
    for clip in sorted((data / "audio" / "ami_clips").glob("*.flac")):
        [turns] = read_speech(clip.with_suffix(".ref.rttm")).values()
        with tempfile.TemporaryDirectory() as folder:
            wav = Path(folder) / "clip.wav"
            decode(clip, wav, max_hours=1)
            yield _heard(wav, list(turns), encoder)


def _heard(wav: Path, turns: list[Said], encoder: SpeakerEncoder) -> Heard:
    speech = united([turn.span for turn in turns])
    windows = cut_windows(speech, encoder.window)
    return Heard(turns, speech, windows, encoder.embed(Waveform.open(wav), windows))


def united(spans: Sequence[TimeSpan]) -> list[TimeSpan]:
    """Return when anybody speaks."""
    found: list[TimeSpan] = []
    for span in sorted(spans):
        if found and span.start <= found[-1].end:
            found[-1] = TimeSpan(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


def told_apart(
    heard: Heard, clustering: str, encoder: SpeakerEncoder, count: int | None = None
) -> list[Said]:
    """Return who is said to speak when; with ``count``, the clustering is told how many there are."""
    cluster = registry.load("clustering", clustering, CLUSTERINGS)
    measured = np.linalg.norm(heard.voices, axis=1) > 0
    labels = np.zeros(len(heard.windows), dtype=np.int64)
    if measured.any():
        labels[measured] = cluster(
            heard.voices[measured],
            eta=encoder.eta,
            same=encoder.same,
            min_speakers=count or 1,
            max_speakers=count,
        )
    segments = to_segments(heard.speech, heard.windows, heard.voices, labels)
    return [Said(segment.speaker, segment.span) for segment in segments]


@dataclass(frozen=True)
class Result:
    """What one clustering makes of several recordings: speakers found in each, and errors at both collars."""

    found: list[int]
    errors: tuple[SpeakerErrors, SpeakerErrors]


def result(recordings: Sequence[Heard], clustering: str, encoder: SpeakerEncoder, *, told: bool) -> Result:
    """Return how ``clustering`` does; ``told``: it is told how many speakers there are."""
    counts, errors = [], [SpeakerErrors(), SpeakerErrors()]
    for heard in recordings:
        found = told_apart(heard, clustering, encoder, heard.speakers if told else None)
        counts.append(len({one.speaker for one in found}))
        for number, scoring in enumerate(SCORINGS[:2]):
            errors[number] += speaker_errors(heard.turns, found, scoring)
    return Result(counts, (errors[0], errors[1]))


def tables(material: dict[str, list[Heard]], encoder: SpeakerEncoder) -> str:
    """Return both tables and what no clustering can get right, in Markdown."""
    head = (
        "| recordings | clustering | speakers found / true | count right "
        "| DER, collar 0 | 0.25 s | told the count: DER, collar 0 | 0.25 s |"
    )
    rows, counted = [head, "|---|---|---|---|---|---|---|---|"], [_count_head()]
    overlapped = []
    for name, recordings in material.items():
        true = [heard.speakers for heard in recordings]
        for clustering in CLUSTERINGS:
            alone = result(recordings, clustering, encoder, told=False)
            told = result(recordings, clustering, encoder, told=True)
            right = sum(one == other for one, other in zip(alone.found, true, strict=True))
            cells = [
                name,
                clustering,
                f"{sum(alone.found)} / {sum(true)}",
                f"{right} of {len(true)}",
                *(f"{errors.rate:.3f}" for errors in (*alone.errors, *told.errors)),
            ]
            rows.append(f"| {' | '.join(cells)} |")
            if name != AMI:
                counted.append(_count_row(name, clustering, alone.found, true))
            missed = [errors.missed / errors.speech for errors in alone.errors]
        overlapped.append(f"{name} {missed[0]:.3f} and {missed[1]:.3f}")
    floor = f"Second voices, which one speaker at a time always misses: {'; '.join(overlapped)}."
    return "\n".join([*rows, "", floor, "", *counted])


def _count_head() -> str:
    cells = ["readers", "clustering", *(f"{count} speak" for count in COUNTS)]
    return f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}"


def _count_row(name: str, clustering: str, found: list[int], true: list[int]) -> str:
    """Return how many were found in each conversation of so many readers."""
    by_count = [", ".join(str(n) for n, t in zip(found, true, strict=True) if t == count) for count in COUNTS]
    return f"| {name} | {clustering} | {' | '.join(by_count)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    arguments = parser.parse_args()
    audio = arguments.data / "audio"
    if not (list(audio.glob("librispeech/*.flac")) and list(audio.glob("ami_clips/*.flac"))):
        sys.exit(
            f"no recordings under {audio}: pass --data FOLDER with audio/librispeech and audio/ami_clips"
        )
    encoder = load_encoder()
    made = list(conversations(arguments.data, encoder))
    rooms = [heard for heard in made if heard.in_a_room]
    dry = [heard for heard in made if not heard.in_a_room]
    print(
        tables(
            {"readers": dry, "readers in a room": rooms, AMI: list(clips(arguments.data, encoder))}, encoder
        )
    )


if __name__ == "__main__":
    main()
