"""How far the boundaries of words are from the reference, on the AMI clips.

    python -m benchmarks.alignment [ALIGNER …] [--data ../shared/data] [--json]

First table: the reference's own words, turn by turn, with times merely spread over the turn, so everything
measured is the aligner's. Second table: what Whisper hears, clip by clip as in the pipeline, with Whisper's
own times and after each aligner; only words that the reference has too (same text, in order). Boundaries are
starts and ends alike. The reference times of AMI come from forced alignment themselves, and 17.5 % of the
speaker time in these clips is overlapped: there the words of one speaker lie under another's.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from grga.audio import Waveform, decode
from grga.speech.alignment import Aligner, load_aligner
from grga.speech.asr import load_asr, spread
from grga.speech.vad import load_vad
from grga.types import TimeSpan, Word

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
MARGIN = 0.3
"""Seconds that a turn's clip reaches beyond its words."""


@dataclass(frozen=True)
class Clip:
    """One recording with its reference words, speaker by speaker."""

    waveform: Waveform
    words: tuple[Word, ...]
    turns: tuple[tuple[Word, ...], ...]


def read_clips(data: Path, folder: Path) -> list[Clip]:
    clips = []
    for path in sorted((data / "audio" / "ami_clips").glob("*.ref.json")):
        reference = json.loads(path.read_text())
        wav = folder / f"{path.stem}.wav"
        decode(path.with_name(path.name.replace(".ref.json", ".flac")), wav, max_hours=1)
        words = tuple(
            Word(word["text"], TimeSpan(word["start"], word["end"]), speaker=word["agent"])
            for word in reference["words"]
        )
        turns = (
            tuple(
                word
                for word in words
                if word.speaker == turn["speaker"]
                and word.span.middle >= turn["start"]
                and word.span.middle <= turn["end"]
            )
            for turn in reference["turns"]
        )
        clips.append(Clip(Waveform.open(wav), words, tuple(turn for turn in turns if turn)))
    return clips


def known_words(clips: Sequence[Clip], aligner: Aligner) -> Iterator[tuple[Word, Word]]:
    """Yield (reference, aligned) for every word of every turn."""
    for clip in clips:
        for turn in clip.turns:
            span = TimeSpan(turn[0].span.start, turn[-1].span.end).widened(MARGIN)
            around = TimeSpan(span.start, min(span.end, clip.waveform.duration))
            given = [Word(word.text, word.span, 1.0) for word in spread([word.text for word in turn], around)]
            yield from zip(turn, aligner.align(clip.waveform, around, given, "en"), strict=True)


def matched(reference: Sequence[Word], heard: Sequence[Word]) -> Iterator[tuple[Word, int]]:
    """Yield (reference word, index of the heard word) where the texts agree."""
    ours, theirs = [[_plain(word.text) for word in some] for some in (reference, heard)]
    for first, second, size in SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks():
        yield from ((reference[first + offset], second + offset) for offset in range(size))


def errors(pairs: Sequence[tuple[Word, Word]]) -> dict[str, float]:
    """Return how far boundaries lie from the reference: seconds, and the share within 0.1 s."""
    bounds = [
        (abs(word.span.start - true.span.start), abs(word.span.end - true.span.end)) for true, word in pairs
    ]
    starts, ends = np.array(bounds).T
    both = np.concatenate([starts, ends])
    return {
        "words": len(pairs),
        "median": float(np.median(both)),
        "p90": float(np.percentile(both, 90)),
        "within_100ms": float(np.mean(both <= 0.1)),
        "starts_within_100ms": float(np.mean(starts <= 0.1)),
        "ends_within_100ms": float(np.mean(ends <= 0.1)),
    }


def measure(data: Path, names: Sequence[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        clips = read_clips(data, Path(folder))
        aligners = {name: load_aligner(name) for name in names}
        seconds = sum(clip.waveform.duration for clip in clips)
        for name, aligner in aligners.items():
            started = time.perf_counter()
            pairs = list(known_words(clips, aligner))
            placed = [(true, word) for true, word in pairs if word.confidence is not None]
            factor = (time.perf_counter() - started) / seconds
            rows.append({"words_of": "reference", "times_of": name, **errors(placed), "all": len(pairs)})
            rows[-1]["real_time_factor"] = factor
        vad, asr = load_vad(), load_asr()
        by: dict[str, list[tuple[Word, Word]]] = {name: [] for name in ("whisper", *names)}
        for clip in clips:
            for span in vad.detect(clip.waveform).clips:
                heard = asr.transcribe(clip.waveform, span, "en")
                inside = [word for word in clip.words if span.start <= word.span.middle <= span.end]
                places = list(matched(inside, heard))
                versions = {"whisper": heard} | {
                    name: aligner.align(clip.waveform, span, heard, "en")
                    for name, aligner in aligners.items()
                }
                for name, words in versions.items():
                    by[name] += [(true, words[index]) for true, index in places]
        rows += [{"words_of": "whisper", "times_of": name, **errors(pairs)} for name, pairs in by.items()]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("aligners", nargs="*", default=["pocketsphinx"])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rows = measure(options.data, options.aligners)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    print("words of  | times of     | words | median | p90    | within 0.1 s | starts | ends")
    for row in rows:
        print(
            f"{row['words_of']:<9} | {row['times_of']:<12} | {row['words']:>5} | {row['median']:.3f}  "
            f"| {row['p90']:.3f}  | {row['within_100ms']:>12.1%} | {row['starts_within_100ms']:.1%}  "
            f"| {row['ends_within_100ms']:.1%}"
        )
        if "all" in row:
            print(f"  of {row['all']} words; {row['real_time_factor']:.3f} x real time")


def _plain(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


if __name__ == "__main__":
    main()
