"""CTC alignment with a real, tiny wav2vec 2.0 that learned three tones as three letters."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grga.audio import Waveform
from grga.errors import ModelError
from grga.models import ModelSource
from grga.speech.alignment import Aligner, load_aligner
from grga.speech.alignment.ctc import CtcAligner
from grga.types import TimeSpan, Word

pytestmark = pytest.mark.slow
RATE = 16_000
STEP = 0.02
VOCABULARY = ["<pad>", "<s>", "</s>", "<unk>", "|", "A", "B", "会"]
TONES = {"A": 300.0, "B": 1200.0, "会": 3000.0}


def melody(notes: str, seconds: float = 0.2, seed: int = 0) -> np.ndarray:
    """One note per letter, "." for a pause; a little noise everywhere."""
    time = np.arange(round(seconds * RATE)) / RATE
    parts = [0.3 * np.sin(2 * np.pi * TONES[note] * time) if note in TONES else 0 * time for note in notes]
    noise = 0.002 * np.random.default_rng(seed).normal(size=len(parts) * len(time))
    return (np.concatenate(parts) + noise).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model as a hub lays it out: configuration, weights, vocabulary."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("ctc")
    torch.manual_seed(0)
    torch.set_num_threads(2)
    config = transformers.Wav2Vec2Config(
        vocab_size=len(VOCABULARY),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        conv_dim=(32, 32, 32),
        conv_stride=(5, 8, 8),
        conv_kernel=(10, 8, 8),
        num_feat_extract_layers=3,
        num_conv_pos_embeddings=8,
        num_conv_pos_embedding_groups=2,
        pad_token_id=0,
        hidden_dropout=0.0,
        attention_dropout=0.0,
        feat_proj_dropout=0.0,
        layerdrop=0.0,
        apply_spec_augment=False,
    )
    model = transformers.Wav2Vec2ForCTC(config)
    features = transformers.Wav2Vec2FeatureExtractor(do_normalize=True)
    random = np.random.default_rng(1)
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(120):
        notes = ["".join(random.choice(list("AB会.."), 10)) for _ in range(4)]
        samples = [melody(some, seed=step) for some in notes]
        inputs = features(samples, sampling_rate=RATE, return_tensors="pt").input_values
        logits = model(inputs).logits
        frames = np.minimum(((np.arange(logits.shape[1]) + 0.5) * STEP / 0.2).astype(int), 9)
        target = [[VOCABULARY.index(some[at]) if some[at] != "." else 0 for at in frames] for some in notes]
        loss = torch.nn.functional.cross_entropy(logits.transpose(1, 2), torch.tensor(target))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert loss.item() < 0.2
    model.save_pretrained(folder)
    features.save_pretrained(folder)
    (folder / "vocab.json").write_text(json.dumps({token: id for id, token in enumerate(VOCABULARY)}))
    (folder / "tokenizer_config.json").write_text(
        json.dumps({"tokenizer_class": "Wav2Vec2CTCTokenizer", "word_delimiter_token": "|"})
    )
    return folder


@pytest.fixture(scope="module")
def aligner(folder: Path) -> Aligner:
    return load_aligner("ctc", model=str(folder), source=ModelSource(offline=True, device="cpu"))


def words_of(*texts: str) -> list[Word]:
    return [Word(text, TimeSpan(0.0, 0.1), 0.1, "S1") for text in texts]


def near(word: Word, start: float, end: float) -> bool:
    return abs(word.span.start - start) <= 2 * STEP and abs(word.span.end - end) <= 2 * STEP


def test_each_word_lies_on_its_tones(aligner: Aligner, sound: Callable[..., Waveform]) -> None:
    waveform = sound(melody("..AB..B.A.."))
    words = aligner.align(waveform, TimeSpan(0.2, 2.2), words_of("ab,", "B!", "(a)"), "en")
    assert [word.text for word in words] == ["ab,", "B!", "(a)"]
    assert near(words[0], 0.4, 0.8)
    assert near(words[1], 1.2, 1.4)
    assert near(words[2], 1.6, 1.8)
    assert all(word.confidence is not None and 0.5 < word.confidence <= 1 for word in words)
    assert {word.speaker for word in words} == {"S1"}


def test_what_was_not_said_has_little_confidence(aligner: Aligner, sound: Callable[..., Waveform]) -> None:
    waveform = sound(melody("..A..A.."))
    true, wrong = (
        aligner.align(waveform, TimeSpan(0, 1.6), words_of("a", text), "en")[1].confidence for text in "ab"
    )
    assert true > 0.5 > 0.1 > wrong


def test_han_characters_are_letters_and_nothing_stands_between_them(
    aligner: Aligner, sound: Callable[..., Waveform]
) -> None:
    words = aligner.align(sound(melody(".会.会..")), TimeSpan(0, 1.2), words_of("会", "会。"), "zh")
    assert near(words[0], 0.2, 0.4)
    assert near(words[1], 0.6, 0.8)


def test_a_word_of_unknown_letters_lies_between_its_neighbours(
    aligner: Aligner, sound: Callable[..., Waveform]
) -> None:
    first, unknown, last = aligner.align(
        sound(melody(".A..B.")), TimeSpan(0, 1.2), words_of("a", "???", "b"), "en"
    )
    assert unknown.confidence is None
    assert first.span.end <= unknown.span.start <= unknown.span.end <= last.span.start


def test_a_clip_longer_than_the_window_goes_through_in_pieces(
    aligner: Aligner, sound: Callable[..., Waveform], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grga.speech.alignment.ctc.PIECE", 2.0)
    monkeypatch.setattr("grga.speech.alignment.ctc.CONTEXT", 0.5)
    waveform = sound(melody("..A......." + "....B....." + "..A......A" + ".B"))  # the last is short
    clip = TimeSpan(0, waveform.duration)
    words = aligner.align(waveform, clip, words_of("a", "b", "a", "a", "b"), "en")
    for word, note in zip(words, (2, 14, 22, 29, 31), strict=True):
        assert near(word, 0.2 * note, 0.2 * (note + 1))


@pytest.mark.parametrize(
    ("seconds", "texts"), [(0.1, ["abababab", "ab"]), (0.005, ["a"]), (0.0, ["a"]), (1.0, ["…"]), (1.0, [])]
)
def test_too_short_too_many_and_nothing(
    aligner: Aligner, sound: Callable[..., Waveform], seconds: float, texts: list[str]
) -> None:
    clip = TimeSpan(0.0, seconds)
    words = aligner.align(sound(np.zeros(RATE)), clip, words_of(*texts), "en")
    assert [(word.text, word.confidence) for word in words] == [(text, None) for text in texts]
    assert all(clip.start <= word.span.start <= word.span.end <= clip.end for word in words)


def test_silence_has_times_and_no_confidence_worth_the_name(
    aligner: Aligner, sound: Callable[..., Waveform]
) -> None:
    (word,) = aligner.align(sound(np.zeros(RATE)), TimeSpan(0, 1), words_of("ab"), "en")
    assert 0 <= word.span.start <= word.span.end <= 1
    assert word.confidence is not None
    assert word.confidence < 0.2


def test_the_language_chooses_the_model(sound: Callable[..., Waveform], tmp_path: Path) -> None:
    aligner = CtcAligner(source=ModelSource(folder=tmp_path, offline=True))
    clip, waveform = TimeSpan(0, 1), sound(np.zeros(RATE))
    with pytest.raises(ModelError, match="wav2vec2-en"):
        aligner.align(waveform, clip, words_of("hello"), "en")
    with pytest.raises(ModelError, match="wav2vec2-zh"):
        aligner.align(waveform, clip, words_of("会议"), None)
    with pytest.raises(ModelError, match=r"language 'fr'.*alignment\.model"):
        aligner.align(waveform, clip, words_of("bonjour"), "fr")


def test_a_folder_without_a_ctc_model_is_one_sentence(sound: Callable[..., Waveform], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    aligner = load_aligner("ctc", model=str(tmp_path))
    with pytest.raises(ModelError, match="cannot be loaded"):
        aligner.align(sound(np.zeros(RATE)), TimeSpan(0, 1), words_of("a"), "en")
