"""Which models heard a meeting, as its page says it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from grga.manifest import Manifest, Source, StageRecord
from grga.ui.backends_view import backends_html, backends_of


def manifest(**stages: StageRecord) -> Manifest:
    source = Source(name="review.wav", digest="0", kind="audio")
    return Manifest(
        id="a-1", title="a", created=datetime(2026, 3, 1, tzinfo=UTC), source=source, stages=dict(stages)
    )


def stage(details: dict[str, Any] | None = None, failed: str = "", **options: Any) -> StageRecord:
    return StageRecord(
        settings="",
        inputs={},
        output="",
        seconds=1.0,
        options=options,
        details=details or {},
        failed=failed,
    )


def test_the_embedded_profile() -> None:
    made = manifest(
        preprocess=stage(channels="mix"),
        vad=stage(backend="silero"),
        asr=stage({"model": "whisper-base"}, backend="whisper"),
        alignment=stage(backend="asr"),
        diarization=stage(backend="ge2e"),
        utterances=stage(),
        emotion=stage(backend="none", events="none"),
        acoustics=stage(pitch="swift_f0"),
        embeddings=stage({"encoder": "e5"}, backend="auto"),
        graph=stage(reply_window=5.0),
    )
    assert dict(backends_of(made)) == {
        "vad": "Silero VAD",
        "asr": "Whisper base",
        "alignment": "times as recognised",
        "diarization": "GE2E",
        "emotion": "not measured",
        "acoustics": "SwiftF0 for pitch",
        "embeddings": "multilingual E5",
    }


def test_the_full_profile_with_words_to_listen_for_and_a_failure() -> None:
    made = manifest(
        vad=stage(backend="fsmn"),
        asr=stage({"model": "paraformer-zh"}, backend="paraformer", hints=["Lumen", "Okafor"]),
        alignment=stage(backend="ctc"),
        diarization=stage(failed="a model is missing", backend="eres2netv2"),
        emotion=stage(backend="emotion2vec", events="sensevoice"),
        embeddings=stage({"encoder": "bge-m3"}),
    )
    assert dict(backends_of(made)) == {
        "vad": "FSMN-VAD",
        "asr": "Paraformer, listening for: Lumen, Okafor",
        "alignment": "wav2vec 2.0, CTC",
        "diarization": "failed: A model is missing",
        "emotion": "emotion2vec+ for emotions, SenseVoice for laughter and other sounds",
        "embeddings": "BGE-M3",
    }


def test_a_model_of_ones_own_is_named_by_its_folder() -> None:
    made = manifest(asr=stage({"model": "/models/our-meetings"}, backend="whisper"))
    assert dict(backends_of(made)) == {"asr": "Whisper our-meetings"}


def test_a_stored_name_is_text_and_never_markup(page: Any) -> None:
    made = backends_html(manifest(vad=stage(backend="<img src=x onerror=alert(1)>")))
    seen = page(made)
    assert "img" not in {tag for tag, _ in seen.tags}
    assert "Finding speech<img src=x onerror=alert(1)>" in seen.text


def test_a_meeting_that_no_model_heard_shows_nothing() -> None:
    assert backends_html(manifest(utterances=stage(), graph=stage())) == ""
