"""Word error rate, diarization error rate and speed of the embedded speech profile on the AMI clips.

    python -m benchmarks.speech_quality [--data ../shared/data] [--json]

WER, cpWER and DER as :mod:`eval.speech` counts them: words of all speakers in order of their start times,
normalised; DER with collar 0 and 0.25 s, overlap scored. Counts of all clips are added before rates are made.
Real-time factors: seconds of work per second of audio, models loaded beforehand.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from eval.speech.der import SCORINGS, SpeakerErrors, speaker_errors
from eval.speech.reading import Said, read_speech
from eval.speech.wer import Errors, cp_errors, in_order, word_errors
from grga.audio import Waveform, decode, write_playback
from grga.speech.asr import load_asr
from grga.speech.diarization import diarize, load_encoder
from grga.speech.features import measure
from grga.speech.utterances import assign_words, group_utterances
from grga.speech.vad import load_vad
from grga.types import TimeSpan, Utterance, Word

DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


class Stopwatch:
    """Adds up seconds per stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - started


class Pipeline:
    """The speech stages with their models loaded."""

    def __init__(self) -> None:
        self.vad, self.asr, self.encoder = load_vad(), load_asr(), load_encoder()
        self.watch = Stopwatch()

    def run(self, source: Path, folder: Path) -> tuple[tuple[Utterance, ...], Any, float]:
        """Return utterances, speaker segments and duration of one recording."""
        wav = folder / "audio.wav"
        with self.watch.stage("decode"):
            decode(source, wav, max_hours=1)
            write_playback(source, folder / "audio.m4a")
        waveform = Waveform.open(wav)
        with self.watch.stage("vad"):
            found = self.vad.detect(waveform)
        with self.watch.stage("language"):
            language = self.asr.detect_language(waveform, found.clips)
        with self.watch.stage("asr"):
            words = [word for clip in found.clips for word in self.asr.transcribe(waveform, clip, language)]
        with self.watch.stage("diarization"):
            segments = diarize(waveform, found.speech, encoder=self.encoder)
        with self.watch.stage("utterances"):
            utterances = group_utterances(assign_words(words, segments))
        with self.watch.stage("acoustics"):
            utterances = measure(utterances, waveform)
        return utterances, segments, waveform.duration


def score(data: Path) -> dict[str, Any]:
    clips = sorted((data / "audio" / "ami_clips").glob("*.flac"))
    if not clips:
        sys.exit(f"no AMI clips under {data}: pass --data FOLDER with audio/ami_clips/*.flac and .ref files")
    pipeline = Pipeline()
    words, speakers = Errors(), Errors()
    strict, usual = SpeakerErrors(), SpeakerErrors()
    total = 0.0
    rows = []
    for clip in clips:
        with tempfile.TemporaryDirectory() as folder:
            utterances, segments, duration = pipeline.run(clip, Path(folder))
        total += duration
        said, heard = spoken(clip), [Said(one.speaker, one.span, one.text) for one in utterances]
        [turns] = read_speech(clip.with_suffix(".ref.rttm")).values()
        found = [Said(segment.speaker, segment.span) for segment in segments]
        whole = [TimeSpan(0, duration)]
        wrong = word_errors(in_order(said), " ".join(one.text for one in by_word(utterances)))
        ders = [speaker_errors(turns, found, how, whole) for how in SCORINGS[:2]]
        words, speakers = words + wrong, speakers + cp_errors(said, heard)
        strict, usual = strict + ders[0], usual + ders[1]
        rows.append(
            {
                "clip": clip.stem,
                "wer": rounded(wrong.rate),
                "der": rounded(ders[0].rate),
                "der_collar_0.25": rounded(ders[1].rate),
                "speakers": len({one.speaker for one in turns}),
                "found": len({one.speaker for one in found}),
            }
        )
    return {
        "clips": rows,
        "seconds": round(total, 1),
        "wer": rounded(words.rate),
        "cpwer": rounded(speakers.rate),
        "der": rounded(strict.rate),
        "der_collar_0.25": rounded(usual.rate),
        "der_parts": {
            "missed detection": rounded(strict.missed / strict.speech),
            "false alarm": rounded(strict.false_alarm / strict.speech),
            "confusion": rounded(strict.confusion / strict.speech),
        },
        "real_time_factor": {name: round(s / total, 4) for name, s in pipeline.watch.seconds.items()},
        "real_time_factor_total": round(sum(pipeline.watch.seconds.values()) / total, 4),
    }


def spoken(clip: Path) -> list[Said]:
    """The clip's words, each with its speaker."""
    words = json.loads(clip.with_suffix(".ref.json").read_text())["words"]
    return [
        Said(one["agent"], TimeSpan(one["start"], max(one["start"], one["end"])), one["text"])
        for one in words
    ]


def by_word(utterances: tuple[Utterance, ...]) -> list[Word]:
    """All words in order of their start times."""
    return sorted((word for one in utterances for word in one.words), key=lambda word: word.span.start)


def rounded(rate: float | None) -> float:
    return round(rate or 0.0, 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    result = score(arguments.data)
    if arguments.json:
        print(json.dumps(result, indent=1))
        return
    print(f"{'clip':24} {'WER':>6} {'DER':>6} {'±0.25':>6}  speakers (found)")
    for row in result["clips"]:
        print(
            f"{row['clip']:24} {row['wer']:6.3f} {row['der']:6.3f} {row['der_collar_0.25']:6.3f}"
            f"  {row['speakers']} ({row['found']})"
        )
    print(
        f"{'all clips':24} {result['wer']:6.3f} {result['der']:6.3f} {result['der_collar_0.25']:6.3f}"
        f"  cpWER {result['cpwer']:.3f}; DER parts {result['der_parts']}"
    )
    print("real-time factors:", result["real_time_factor"], "together", result["real_time_factor_total"])


if __name__ == "__main__":
    main()
