"""Tiny models for FunASR's real classes: real configuration, few numbers, laid out on disk as a hub does.

Their weights are random with a fixed seed, or set by hand where a test needs to know what they do.
"""

from __future__ import annotations

import json
import wave
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from grga.audio import Waveform
from grga.models import ModelSource

RATE = 16_000
CHARACTERS = [
    "<blank>",
    "<s>",
    "</s>",
    "我",
    "们",
    "今",
    "天",
    "开",
    "会",
    "预",
    "算",
    "hello",
    "wor@@",
    "ld",
    "<unk>",
]
TAGS = [
    "<|zh|>",
    "<|en|>",
    "<|HAPPY|>",
    "<|EMO_UNKNOWN|>",
    "<|Speech|>",
    "<|Laughter|>",
    "<|withitn|>",
    "<|woitn|>",
]
EMOTIONS = [
    "生气/angry",
    "厌恶/disgusted",
    "恐惧/fearful",
    "开心/happy",
    "中立/neutral",
    "其他/other",
    "难过/sad",
    "吃惊/surprised",
    "<unk>",
]
KALDI = {"fs": RATE, "window": "hamming", "n_mels": 80, "frame_length": 25, "frame_shift": 10, "dither": 0.0}


SANM_AND_CIF = {
    "encoder": "SANMEncoder",
    "encoder_conf": {
        "output_size": 16,
        "attention_heads": 2,
        "linear_units": 16,
        "num_blocks": 2,
        "dropout_rate": 0.0,
        "kernel_size": 11,
        "sanm_shfit": 0,
        "input_layer": "pe",
        "pos_enc_class": "SinusoidalPositionEncoder",
        "normalize_before": True,
        "selfattention_layer_type": "sanm",
    },
    "predictor": "CifPredictorV3",
    "predictor_conf": {
        "idim": 16,
        "threshold": 1.0,
        "l_order": 1,
        "r_order": 1,
        "tail_threshold": 0.45,
        "smooth_factor2": 0.25,
        "noise_threshold2": 0.01,
        "upsample_times": 3,
        "use_cif1_cnn": False,
        "upsample_type": "cnn_blstm",
    },
}
"""The encoder and the predictor of times that Paraformer and its timestamp model share."""


@pytest.fixture
def sound(tmp_path: Path) -> Callable[[np.ndarray], Waveform]:
    """Return what turns samples in -1..1 into a recording."""

    def make(samples: np.ndarray) -> Waveform:
        file = tmp_path / "sound.wav"
        with wave.open(str(file), "wb") as stream:
            stream.setnchannels(1)
            stream.setsampwidth(2)
            stream.setframerate(RATE)
            stream.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
        return Waveform.open(file)

    return make


def tone(seconds: float, hertz: float = 220.0, level: float = 0.3) -> np.ndarray:
    """A buzz: many harmonics of one pitch."""
    time = np.arange(round(seconds * RATE)) / RATE
    harmonics = (np.sin(2 * np.pi * hertz * number * time) / number for number in range(1, 12))
    return level * sum(harmonics, np.zeros_like(time))


def hush(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE))


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> ModelSource:
    """A folder of people's own copies with every FunASR model that a backend loads, each a few kilobytes."""
    pytest.importorskip("funasr", reason="FunASR is not installed: pip install 'grga[full]'")
    root = tmp_path_factory.mktemp("models")
    for name, build in BUILDERS.items():
        (root / name).mkdir()
        build(root / name)
    return ModelSource(folder=root, offline=True, device="cpu")


def fsmn_vad(folder: Path) -> None:
    """A detector whose weights say "speech" when the mean log energy of a frame passes 8."""
    import torch
    from funasr.models.fsmn_vad_streaming.model import FsmnVADStreaming

    shape = {"input_dim": 400, "input_affine_dim": 2, "fsmn_layers": 1, "linear_dim": 2, "proj_dim": 2}
    shape |= {"lorder": 20, "rorder": 0, "lstride": 1, "rstride": 0, "output_affine_dim": 2, "output_dim": 2}
    options = {"sample_rate": RATE, "detect_mode": 1, "max_end_silence_time": 800, "speech_noise_thres": 0.6}
    _write_config(
        folder,
        model="FsmnVADStreaming",
        model_conf=options,
        encoder="FSMN",
        encoder_conf=shape,
        frontend="WavFrontendOnline",
        frontend_conf={**KALDI, "lfr_m": 5, "lfr_n": 1},
    )
    (folder / "am.mvn").write_text(_mvn(400))
    model = FsmnVADStreaming(encoder="FSMN", encoder_conf=shape, **options)
    weights = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
    weights["encoder.in_linear1.linear.weight"][0] = 1 / 400
    for layer in ("in_linear2", "fsmn.0.linear", "fsmn.0.affine", "out_linear1"):
        weights[f"encoder.{layer}.linear.weight"][0, 0] = 1.0
    weights["encoder.in_linear2.linear.bias"][0] = -8.0
    weights["encoder.out_linear2.linear.weight"][1, 0] = 4.0
    weights["encoder.out_linear2.linear.bias"][0] = 4.0
    torch.save(weights, folder / "model.pt")


def eres2netv2(folder: Path) -> None:
    import torch
    from funasr.models.eres2net.eres2netv2 import ERes2NetV2

    torch.manual_seed(1)
    torch.save(ERes2NetV2().eval().state_dict(), folder / "pretrained_eres2netv2.ckpt")


def campplus(folder: Path) -> None:
    import torch
    from funasr.models.campplus.model import CAMPPlus

    shape = {"feat_dim": 80, "embedding_size": 192, "growth_rate": 8, "bn_size": 2, "init_channels": 16}
    _write_config(folder, model="CAMPPlus", model_conf=shape)
    metas = {"init_param": "campplus_cn_common.bin", "config": "config.yaml"}
    (folder / "configuration.json").write_text(json.dumps({"file_path_metas": metas}))
    torch.manual_seed(2)
    torch.save(CAMPPlus(**shape).eval().state_dict(), folder / "campplus_cn_common.bin")


def emotion2vec(folder: Path) -> None:
    """Nine labels; whatever it hears, "开心/happy" has the highest score."""
    import torch
    from funasr.models.emotion2vec.model import Emotion2vec

    audio = {
        "type": "AUDIO",
        "prenet_depth": 1,
        "prenet_layerdrop": 0.0,
        "prenet_dropout": 0.0,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_extra_tokens": 2,
        "init_extra_token_zero": True,
        "mask_noise_std": 0.01,
        "mask_prob": 0.0,
        "inverse_mask": False,
        "keep_masked_pct": 0.0,
        "mask_length": 5,
        "add_masks": False,
        "encoder_zero_mask": True,
        "mask_channel_prob": 0.0,
        "mask_channel_length": 64,
        "local_grad_mult": 1.0,
        "use_alibi_encoder": True,
        "alibi_scale": 1.0,
        "learned_alibi": False,
        "alibi_max_pos": None,
        "learned_alibi_scale": True,
        "learned_alibi_scale_per_head": True,
        "learned_alibi_scale_per_layer": False,
        "num_alibi_heads": 2,
        "model_depth": 1,
        "extractor_mode": "layer_norm",
        "feature_encoder_spec": "[(16, 10, 5)] + [(16, 3, 2)] * 4 + [(16, 2, 2)] * 2",
        "conv_pos_width": 9,
        "conv_pos_groups": 2,
        "conv_pos_depth": 2,
        "conv_pos_pre_ln": False,
        "decoder": None,
    }
    shape: dict[str, Any] = {
        "depth": 1,
        "start_drop_path_rate": 0.0,
        "end_drop_path_rate": 0.0,
        "num_heads": 2,
        "norm_eps": 1e-5,
        "norm_affine": True,
        "encoder_dropout": 0.0,
        "post_mlp_drop": 0.0,
        "attention_dropout": 0.0,
        "activation_dropout": 0.0,
        "dropout_input": 0.0,
        "layerdrop": 0.0,
        "embed_dim": 16,
        "mlp_ratio": 2.0,
        "layer_norm_first": False,
        "average_top_k_layers": 1,
        "end_of_block_targets": False,
        "clone_batch": 1,
        "normalize": True,
        "loss_beta": 0.0,
        "loss_scale": None,
        "modalities": {"audio": audio},
    }
    _write_config(
        folder,
        model="Emotion2vec",
        model_conf=shape,
        tokenizer="CharTokenizer",
        tokenizer_conf={"unk_symbol": "<unk>", "split_with_space": True},
    )
    (folder / "tokens.txt").write_text("\n".join(EMOTIONS) + "\n", encoding="utf-8")
    torch.manual_seed(3)
    model = Emotion2vec(model_conf=shape, vocab_size=len(EMOTIONS))
    with torch.no_grad():
        model.proj.bias[EMOTIONS.index("开心/happy")] += 5.0
    torch.save({"model": model.state_dict()}, folder / "model.pt")


def sensevoice(folder: Path) -> None:
    """A real piece model with SenseVoice's tags; whatever it hears, it writes one tag: laughter."""
    import sentencepiece
    import torch
    from funasr.models.sense_voice.model import SenseVoiceSmall

    pieces = folder / "chn_jpn_yue_eng_ko_spectok.bpe"
    lines = ["hello world today we talk about the budget", "今天我们开会讨论预算", "hello budget"] * 20
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_prefix=str(pieces),
        vocab_size=80,
        model_type="bpe",
        character_coverage=1.0,
        user_defined_symbols=TAGS,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    encoder = {"output_size": 16, "attention_heads": 2, "linear_units": 16, "num_blocks": 2, "tp_blocks": 1}
    encoder |= {"kernel_size": 11, "sanm_shfit": 0, "selfattention_layer_type": "sanm"}
    encoder |= {"input_layer": "pe", "pos_enc_class": "SinusoidalPositionEncoder", "normalize_before": True}
    size = sentencepiece.SentencePieceProcessor(model_file=f"{pieces}.model").vocab_size()
    _write_config(
        folder,
        model="SenseVoiceSmall",
        model_conf={"length_normalized_loss": True, "sos": 1, "eos": 2, "ignore_id": -1},
        encoder="SenseVoiceEncoderSmall",
        encoder_conf=encoder,
        frontend="WavFrontend",
        frontend_conf={**KALDI, "lfr_m": 7, "lfr_n": 6, "cmvn_file": "am.mvn"},
        tokenizer="SentencepiecesTokenizer",
        tokenizer_conf={"bpemodel": None, "unk_symbol": "<unk>", "split_with_space": True},
    )
    metas = {
        "init_param": "model.pt",
        "config": "config.yaml",
        "tokenizer_conf": {"bpemodel": f"{pieces.name}.model"},
        "frontend_conf": {"cmvn_file": "am.mvn"},
    }
    (folder / "configuration.json").write_text(json.dumps({"file_path_metas": metas}))
    (folder / "am.mvn").write_text(_mvn(560))
    torch.manual_seed(4)
    model = SenseVoiceSmall(
        encoder="SenseVoiceEncoderSmall", encoder_conf=encoder, input_size=560, vocab_size=size
    )
    weights = model.state_dict()
    tag = sentencepiece.SentencePieceProcessor(model_file=f"{pieces}.model").piece_to_id("<|Laughter|>")
    weights["ctc.ctc_lo.weight"].zero_()
    weights["ctc.ctc_lo.bias"].zero_()
    weights["ctc.ctc_lo.bias"][tag] = 9.0
    torch.save(weights, folder / "model.pt")


def paraformer(folder: Path) -> None:
    """SeACo-Paraformer with random weights: characters and pieces of words, in an order that means nothing."""
    import torch
    from funasr.models.seaco_paraformer.model import SeacoParaformer

    decoder = {"attention_heads": 2, "linear_units": 16, "dropout_rate": 0.0, "num_blocks": 1}
    decoder |= {"att_layer_num": 1, "kernel_size": 11, "sanm_shfit": 0}
    seaco = {**decoder, "kernel_size": 21, "use_output_layer": False, "wo_input_layer": True}
    parts = {
        **SANM_AND_CIF,
        "decoder": "ParaformerSANMDecoder",
        "decoder_conf": decoder,
        "seaco_decoder": "ParaformerSANMDecoder",
        "seaco_decoder_conf": seaco,
    }
    options = {"ctc_weight": 0.0, "predictor_bias": 1, "sampling_ratio": 0.75, "inner_dim": 16}
    options |= {"bias_encoder_type": "lstm", "bias_encoder_bid": False, "NO_BIAS": len(CHARACTERS) - 1}
    options |= {"seaco_lsm_weight": 0.1, "train_decoder": True}
    _write_config(folder, model="SeacoParaformer", model_conf=options, **parts, **_characters(folder))
    known = "".join(f"{character} {character}\n" for character in CHARACTERS[3:11])
    (folder / "seg_dict").write_text(f"{known}hello hello\nworld wor@@ ld\n", encoding="utf-8")
    torch.manual_seed(5)
    model = SeacoParaformer(**options, **parts, input_size=560, vocab_size=len(CHARACTERS))
    torch.save(model.state_dict(), folder / "model.pt")


def fa_zh(folder: Path) -> None:
    import torch
    from funasr.models.monotonic_aligner.model import MonotonicAligner

    options = {"length_normalized_loss": False, "predictor_bias": 1}
    _write_config(folder, model="MonotonicAligner", model_conf=options, **SANM_AND_CIF, **_characters(folder))
    pieces = [f"{letter} {letter}" for letter in "我们今天开会"]
    lines = ["hello hello", "world wor@@ ld", *pieces]
    (folder / "seg_dict").write_text("\n".join(lines) + "\n", encoding="utf-8")
    torch.manual_seed(6)
    model = MonotonicAligner(**options, **SANM_AND_CIF, input_size=560)
    torch.save(model.state_dict(), folder / "model.pt")


def ct_punc(folder: Path) -> None:
    """Whatever it reads, it sets no mark before the end, where its code sets a full stop."""
    import torch
    from funasr.models.ct_transformer.model import CTTransformer

    encoder = {"input_size": 16, "output_size": 16, "attention_heads": 2, "linear_units": 16, "num_blocks": 2}
    encoder |= {"kernel_size": 11, "sanm_shfit": 0, "input_layer": "pe", "normalize_before": True}
    encoder |= {"pos_enc_class": "SinusoidalPositionEncoder", "selfattention_layer_type": "sanm"}
    marks = ["<unk>", "_", "，", "。", "？", "、"]
    options = {"punc_list": marks, "embed_unit": 16, "att_unit": 16, "sentence_end_id": 3, "ignore_id": 0}
    parts = {"encoder": "SANMEncoder", "encoder_conf": encoder}
    tokenizer = {"unk_symbol": "<unk>"}
    _write_config(
        folder,
        model="CTTransformer",
        model_conf=options,
        **parts,
        tokenizer="CharTokenizer",
        tokenizer_conf=tokenizer,
    )
    (folder / "tokens.json").write_text(json.dumps(CHARACTERS), encoding="utf-8")
    torch.manual_seed(7)
    model = CTTransformer(**options, **parts, vocab_size=len(CHARACTERS))
    with torch.no_grad():
        model.decoder.weight.zero_()
        model.decoder.bias.copy_(torch.tensor([0.0, 9.0, 0.0, 0.0, 0.0, 0.0]))
    torch.save(model.state_dict(), folder / "model.pt")


BUILDERS: dict[str, Callable[[Path], None]] = {
    "fsmn-vad": fsmn_vad,
    "eres2netv2": eres2netv2,
    "campplus": campplus,
    "emotion2vec": emotion2vec,
    "sensevoice": sensevoice,
    "paraformer-zh": paraformer,
    "fa-zh": fa_zh,
    "ct-punc": ct_punc,
}


def _characters(folder: Path) -> dict[str, Any]:
    """Write tokens and statistics of a character model; return the configuration that reads them."""
    (folder / "tokens.json").write_text(json.dumps(CHARACTERS), encoding="utf-8")
    (folder / "am.mvn").write_text(_mvn(560))
    return {
        "frontend": "WavFrontend",
        "frontend_conf": {**KALDI, "lfr_m": 7, "lfr_n": 6},
        "tokenizer": "CharTokenizer",
        "tokenizer_conf": {"unk_symbol": "<unk>", "split_with_space": True},
    }


def _write_config(folder: Path, **settings: Any) -> None:
    (folder / "config.yaml").write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")


def _mvn(width: int) -> str:
    """Statistics that change nothing, in the text form of Kaldi's nnet1."""
    zeros, ones = " ".join(["0.0"] * width), " ".join(["1.0"] * width)
    return (
        f"<Nnet>\n<Splice> {width} {width}\n[ 0 ]\n"
        f"<AddShift> {width} {width}\n<LearnRateCoef> 0 [ {zeros} ]\n"
        f"<Rescale> {width} {width}\n<LearnRateCoef> 0 [ {ones} ]\n</Nnet>\n"
    )
