"""ERes2NetV2 and CAM++ through FunASR's real classes, with weights that hear nothing in particular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ModelError
from grga.models import ModelSource
from grga.speech.diarization import diarize, load_encoder
from grga.types import TimeSpan

RATE = 16_000
pytestmark = pytest.mark.slow


def recording(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    random = np.random.default_rng(3)
    return sound(np.concatenate([random.normal(0, 0.1, 6 * RATE), np.zeros(2 * RATE)]))


@pytest.mark.parametrize("name", ["eres2netv2", "campplus"])
def test_each_window_has_a_voice_of_length_one_that_does_not_depend_on_its_company(
    name: str, tiny_models: ModelSource, sound: Callable[[np.ndarray], Waveform]
) -> None:
    encoder = load_encoder(name, tiny_models)
    waveform = recording(sound)
    spans = [
        TimeSpan(0.0, 1.5),
        TimeSpan(0.4, 1.9),
        TimeSpan(2.0, 2.3),  # too short to hear a voice in
        TimeSpan(3.0, 4.0),
        TimeSpan(6.5, 7.9),  # silence
        TimeSpan(5.0, 5.75),
    ]
    rows = encoder.embed(waveform, spans)
    assert rows.shape == (6, 192)
    assert np.linalg.norm(rows, axis=1).round(5).tolist() == [1, 1, 0, 1, 0, 1]
    for index in (0, 1, 3, 5):
        alone = encoder.embed(waveform, [spans[index]])[0]
        assert rows[index] == pytest.approx(alone, abs=1e-4)
    assert np.array_equal(rows, encoder.embed(waveform, spans))
    assert (encoder.name, encoder.window, encoder.eta) == (name, 1.5, 0.8)


def test_they_take_the_place_of_the_usual_encoder(
    tiny_models: ModelSource, sound: Callable[[np.ndarray], Waveform]
) -> None:
    waveform = recording(sound)
    segments = diarize(waveform, [TimeSpan(0, 6)], encoder=load_encoder("eres2netv2", tiny_models))
    assert segments[0].span.start == 0.0
    assert segments[-1].span.end == 6.0
    assert len(segments[0].embedding) == 192


def test_a_copy_without_its_weights_is_one_sentence(tmp_path: object) -> None:
    from pathlib import Path

    folder = Path(str(tmp_path)) / "eres2netv2"
    folder.mkdir()
    with pytest.raises(
        ModelError, match=r"the copy of eres2netv2 in .* is not whole .*no pretrained_eres2netv2\.ckpt"
    ):
        load_encoder("eres2netv2", ModelSource(folder=folder.parent, offline=True))
