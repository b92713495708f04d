"""BGE-M3's encoder on a tiny XLM-RoBERTa of the same kind: same classes, same width, few layers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from grga.embedding import TextEncoder, load_text_encoder
from grga.errors import ModelError
from grga.models import ModelSource

pytestmark = pytest.mark.slow
LINES = ["we talk about the budget today", "今天我们开会讨论预算", "the remote control has a button"]


def write_model(folder: Path, width: int) -> None:
    """Lay out configuration, weights and tokenizer as the hub does."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    special = ["<s>", "<pad>", "</s>", "<unk>"]
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.train_from_iterator(
        LINES * 5, trainers.UnigramTrainer(vocab_size=120, special_tokens=special, unk_token="<unk>")
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token="<s>",
        cls_token="<s>",
        eos_token="</s>",
        sep_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
    ).save_pretrained(folder)
    torch.manual_seed(0)
    config = transformers.XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        hidden_size=width,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=8194,
        type_vocab_size=1,
        pad_token_id=1,
    )
    transformers.XLMRobertaModel(config, add_pooling_layer=False).save_pretrained(folder)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> ModelSource:
    root = tmp_path_factory.mktemp("models")
    (root / "bge-m3").mkdir()
    write_model(root / "bge-m3", 1024)
    return ModelSource(folder=root, offline=True, device="cpu")


@pytest.fixture(scope="module")
def encoder(source: ModelSource) -> TextEncoder:
    return load_text_encoder("bge-m3", source)


def test_rows_are_unit_vectors_in_the_order_of_the_texts(encoder: TextEncoder) -> None:
    texts = [*LINES, "", "budget", LINES[0], "x" * 3000]
    rows = encoder.encode_passages(texts)
    assert rows.shape == (7, 1024)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert (rows[0] == rows[5]).all()
    for text, row in zip(texts, rows, strict=True):
        assert encoder.encode_passages([text])[0] == pytest.approx(row, abs=1e-5)


def test_batches_change_nothing(encoder: TextEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["budget " * length for length in (1, 30, 2, 80, 3)]
    together = encoder.encode_passages(texts)
    monkeypatch.setattr("grga.embedding.bge_m3.MOST_AT_ONCE", 2)
    assert encoder.encode_passages(texts) == pytest.approx(together, abs=1e-5)


def test_the_vector_is_that_of_the_first_token(encoder: TextEncoder, source: ModelSource) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    assert source.folder is not None
    tokenizer = AutoTokenizer.from_pretrained(source.folder / "bge-m3")
    model = AutoModel.from_pretrained(source.folder / "bge-m3").eval()
    with torch.inference_mode():
        first = model(**tokenizer(LINES[1], return_tensors="pt")).last_hidden_state[0, 0].numpy()
    assert encoder.encode_query(LINES[1]) == pytest.approx(first / np.linalg.norm(first), abs=1e-5)


def test_only_the_first_512_tokens_count(encoder: TextEncoder) -> None:
    long = "budget today " * 600
    rows = encoder.encode_passages([long, long + "the remote control has a button"])
    assert rows[0] == pytest.approx(rows[1], abs=1e-6)


def test_questions_are_remembered_until_they_are_forgotten(encoder: TextEncoder) -> None:
    first = encoder.encode_query("budget")
    assert encoder.encode_query("budget") is first
    encoder.forget_questions()
    again = encoder.encode_query("budget")
    assert again is not first
    assert again == pytest.approx(first, abs=1e-6)
    assert encoder.encode_passages([]).shape == (0, 1024)
    assert encoder.min_similarity == 0.25


def test_another_width_is_another_model(tmp_path: Path) -> None:
    (tmp_path / "bge-m3").mkdir()
    write_model(tmp_path / "bge-m3", 32)
    with pytest.raises(ModelError, match=r"another model than BGE-M3 \(found vectors of 32 numbers"):
        load_text_encoder("bge-m3", ModelSource(folder=tmp_path, offline=True))


def test_missing_and_damaged_weights_are_one_sentence(tmp_path: Path) -> None:
    source = ModelSource(folder=tmp_path, offline=True)
    with pytest.raises(ModelError, match=r"bge-m3 is not on this machine.*models fetch bge-m3"):
        load_text_encoder("bge-m3", source)
    folder = tmp_path / "bge-m3"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "xlm-roberta"}))
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_text_encoder("bge-m3", source)
