"""The whole pipeline of pyannote.audio, from a folder as the hub lays it out to segments that overlap.

Its real classes, with tiny models: one learns here, within seconds, to tell a low tone from a high one and to
hear both at once.
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grga.audio import SAMPLE_RATE, Waveform, write_wav
from grga.errors import ModelError
from grga.models import CARDS, ModelSource
from grga.speech.diarization import load_diarizer
from grga.types import TimeSpan

CHUNK = 2.0
STEPS = 120
TONES = (220.0, 1300.0)
CONFIG = """
dependencies:
  pyannote.audio: 4.0.0
pipeline:
  name: pyannote.audio.pipelines.SpeakerDiarization
  params:
    clustering: VBxClustering
    segmentation: $model/segmentation
    segmentation_batch_size: 32
    embedding: $model/embedding
    embedding_batch_size: 32
    embedding_exclude_overlap: true
    plda: $model/plda
params:
  clustering:
    threshold: 0.6
    Fa: 0.07
    Fb: 0.8
  segmentation:
    min_duration_off: 0.0
"""
INSTALLED = find_spec("pyannote") is not None and find_spec("pyannote.audio") is not None
needs_pyannote = pytest.mark.skipif(
    not INSTALLED,
    reason="pyannote.audio is not installed: it needs an environment of its own, see docs/diarization.md",
)


def tones(sounding: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sound of both tones, each where its row of ``sounding`` (2, samples) says so, over a hiss."""
    time = np.arange(sounding.shape[1]) / SAMPLE_RATE
    waves = [np.sin(2 * np.pi * hz * time + rng.uniform(0, 6)) for hz in TONES]
    return (0.2 * (np.stack(waves) * sounding).sum(axis=0) + 0.002 * rng.normal(size=len(time))).astype(
        np.float32
    )


def lesson(rng: np.random.Generator) -> np.ndarray:
    """When each tone sounds in one chunk: one stretch each, often both at once for a while.

    Never all the time: the network evens out the level of each chunk, so it hears only what changes.
    """
    sounding = np.zeros((2, round(CHUNK * SAMPLE_RATE)), bool)
    for row in sounding:
        length = int(rng.uniform(0.1, 1.6) * SAMPLE_RATE)
        start = int(rng.integers(-length, len(row)))
        row[max(0, start) : start + length] = True
    return sounding


def segmentation() -> Any:
    """A PyanNet of 20,000 parameters that has learnt the two tones."""
    import torch
    from pyannote.audio.core.task import Problem, Resolution, Specifications
    from pyannote.audio.models.segmentation import PyanNet
    from pyannote.audio.utils.powerset import Powerset

    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    model = PyanNet(lstm={"hidden_size": 16, "num_layers": 1}, linear={"hidden_size": 16, "num_layers": 1})
    model.specifications = Specifications(
        problem=Problem.MONO_LABEL_CLASSIFICATION,
        resolution=Resolution.FRAME,
        duration=CHUNK,
        classes=["speaker#1", "speaker#2"],
        powerset_max_classes=2,
        permutation_invariant=True,
    )
    model.setup()
    powerset = Powerset(2, 2)
    frames = model.num_frames(round(CHUNK * SAMPLE_RATE))
    middles = (
        np.arange(frames) * model.receptive_field.step + model.receptive_field.duration / 2
    ) * SAMPLE_RATE
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(STEPS):
        sounding = [lesson(rng) for _ in range(12)]
        sound = torch.from_numpy(np.stack([tones(one, rng) for one in sounding]))[:, None]
        truth = torch.from_numpy(np.stack([one[:, middles.astype(int)].T for one in sounding])).float()
        loss = torch.nn.functional.nll_loss(
            model(sound).flatten(0, 1), powerset.to_powerset(truth).argmax(dim=-1).flatten()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


def saved(model: Any, folder: Path) -> None:
    """Write a model as pyannote's trainer does."""
    import torch
    from lightning import __version__

    folder.mkdir()
    checkpoint = {
        "state_dict": model.state_dict(),
        "hyper_parameters": dict(model.hparams),
        "pytorch-lightning_version": __version__,
    }
    model.on_save_checkpoint(checkpoint)
    torch.save(checkpoint, folder / "pytorch_model.bin")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of people's own copies with a pipeline in it."""
    import torch
    from pyannote.audio.core.task import Problem, Resolution, Specifications
    from pyannote.audio.models.embedding import XVectorMFCC

    root = tmp_path_factory.mktemp("models")
    folder = root / "pyannote"
    folder.mkdir()
    (folder / "config.yaml").write_text(CONFIG)
    saved(segmentation(), folder / "segmentation")
    torch.manual_seed(0)
    embedding = XVectorMFCC(dimension=16)
    embedding.specifications = Specifications(
        problem=Problem.REPRESENTATION, resolution=Resolution.CHUNK, duration=CHUNK
    )
    saved(embedding, folder / "embedding")
    (folder / "plda").mkdir()
    np.savez(folder / "plda" / "xvec_transform.npz", mean1=np.zeros(16), mean2=np.zeros(16), lda=np.eye(16))
    np.savez(folder / "plda" / "plda.npz", mu=np.zeros(16), tr=np.eye(16), psi=np.linspace(2, 1, 16))
    return root


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Waveform:
    """Four seconds: the low tone from 0.5 to 2 s, the high one from 1.5 to 3 s."""
    sounding = np.zeros((2, 4 * SAMPLE_RATE), bool)
    sounding[0, round(0.5 * SAMPLE_RATE) : 2 * SAMPLE_RATE] = True
    sounding[1, round(1.5 * SAMPLE_RATE) : 3 * SAMPLE_RATE] = True
    path = tmp_path_factory.mktemp("sound") / "w.wav"
    write_wav(path, tones(sounding, np.random.default_rng(1)))
    return Waveform.open(path)


@needs_pyannote
@pytest.mark.slow
def test_two_who_speak_at_once_are_both_heard(models: Path, recording: Waveform) -> None:
    diarizer = load_diarizer("pyannote", ModelSource(folder=models, offline=True, device="cpu"))
    found = diarizer.diarize(recording, [TimeSpan(0.5, 3)], min_speakers=2, max_speakers=2)
    low, high = found
    assert (low.speaker, high.speaker) == ("S1", "S2")
    assert [low.span.start, low.span.end] == pytest.approx([0.5, 2], abs=0.1)
    assert [high.span.start, high.span.end] == pytest.approx([1.5, 3], abs=0.1)
    assert np.linalg.norm([low.embedding, high.embedding], axis=1) == pytest.approx([1, 1])
    assert diarizer.diarize(recording, []) == ()


@needs_pyannote
@pytest.mark.slow
def test_nobody_is_told_of_its_use(models: Path) -> None:
    from pyannote.audio.telemetry.metrics import is_metrics_enabled

    load_diarizer("pyannote", ModelSource(folder=models, offline=True, device="cpu"))
    assert not is_metrics_enabled()


@needs_pyannote
@pytest.mark.slow
@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            CONFIG.replace("$model/segmentation", "pyannote/segmentation-3.0").replace("plda:", "other:"),
            r"would take its segmentation, plda from a hub .*: use pyannote/speaker-diarization-community-1",
        ),
        ("- a list", "holds no pipeline of pyannote.audio"),
        (CONFIG.replace("VBxClustering", "Guessing"), "cannot be loaded: clustering must be one of"),
    ],
)
def test_a_pipeline_that_is_not_whole_is_refused_in_a_sentence(
    tmp_path: Path, models: Path, config: str, sentence: str
) -> None:
    shutil.copytree(models / "pyannote", tmp_path / "pyannote")
    (tmp_path / "pyannote" / "config.yaml").write_text(config)
    with pytest.raises(ModelError, match=sentence):
        load_diarizer("pyannote", ModelSource(folder=tmp_path, offline=True, device="cpu"))


@pytest.mark.skipif(INSTALLED, reason="pyannote.audio is installed")
def test_without_the_library_a_sentence_says_where_to_read_on(tmp_path: Path) -> None:
    for name in CARDS["pyannote"].files:
        (tmp_path / "pyannote" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pyannote" / name).write_text("-")
    with pytest.raises(ModelError, match=r"pyannote\.audio.*docs/diarization\.md"):
        load_diarizer("pyannote", ModelSource(folder=tmp_path, offline=True))
