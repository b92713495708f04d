"""A tiny FireRedASR of its package's own classes, and what must hold of the words of any recogniser."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grga.audio import Waveform
from grga.models import ModelSource
from grga.types import TimeSpan, Word

RATE = 16_000


@pytest.fixture
def noise_then_silence(sound: Callable[[np.ndarray], Waveform]) -> Waveform:
    """Six seconds of noise, two of silence."""
    noise = np.random.default_rng(5).normal(0, 0.1, 6 * RATE)
    return sound(np.concatenate([noise, np.zeros(2 * RATE)]))


@pytest.fixture
def holds() -> Callable[[tuple[Word, ...], TimeSpan], None]:
    """Return what must be true of any words of any clip."""

    def check(words: tuple[Word, ...], clip: TimeSpan) -> None:
        starts = [word.span.start for word in words]
        assert starts == sorted(starts)
        assert all(clip.start <= word.span.start <= word.span.end <= clip.end for word in words)
        assert all(word.text.strip() == word.text != "" for word in words)

    return check


@pytest.fixture(scope="session")
def tiny_firered(tmp_path_factory: pytest.TempPathFactory) -> ModelSource:
    """FireRedASR-AED with random weights, laid out as its authors do."""
    pytest.importorskip("fireredasr", reason="FireRedASR is not installed: see docs/speech.md")
    import kaldiio
    import sentencepiece
    import torch
    from fireredasr.models.fireredasr_aed import FireRedAsrAed

    root = tmp_path_factory.mktemp("firered")
    folder: Path = root / "firered-aed"
    folder.mkdir()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["THE ROADMAP OF THE TEAM", "HELLO WORLD"] * 20),
        model_prefix=str(folder / "train_bpe1000"),
        vocab_size=30,
        model_type="bpe",
        hard_vocab_limit=False,
        minloglevel=2,
    )
    words = ["<blank>", "<unk>", "<pad>", "<sos>", "<eos>", *"我们今天开会预算", "▁HELLO", "▁WOR", "LD"]
    (folder / "dict.txt").write_text(
        "".join(f"{word} {number}\n" for number, word in enumerate(words)), encoding="utf-8"
    )
    # Kaldi's sums: a row of sums and the count, a row of sums of squares.
    sums = np.zeros((2, 81))
    sums[0, 80], sums[1, :80] = 100, 100
    kaldiio.save_mat(str(folder / "cmvn.ark"), sums)
    shape = argparse.Namespace(
        idim=80,
        odim=len(words),
        d_model=16,
        n_head=2,
        n_layers_enc=1,
        n_layers_dec=1,
        kernel_size=7,
        pe_maxlen=500,
        residual_dropout=0.1,
        dropout_rate=0.1,
        sos_id=3,
        eos_id=4,
        pad_id=2,
    )
    torch.manual_seed(9)
    model = FireRedAsrAed.from_args(shape)
    with torch.no_grad():  # it reads and writes with one table: small enough that places decide, no signs
        model.decoder.tgt_word_emb.weight *= 0.1
        model.decoder.tgt_word_emb.weight[:5] = 0
    torch.save({"args": shape, "model_state_dict": model.state_dict()}, folder / "model.pth.tar")
    return ModelSource(folder=root, offline=True, device="cpu")
