"""Make ge2e.onnx from the GE2E speaker encoder in the Resemblyzer wheel (Apache-2.0).

    pip install --no-deps Resemblyzer==0.1.4 && pip install torch==2.13.0 onnx==1.23.2 onnxruntime
    python assets/models/convert_ge2e.py

Only ``pretrained.pt`` of that package is read: its own imports (webrtcvad, librosa) are not needed.
The script fails unless torch and onnxruntime agree to 1e-5 on random mel windows.
"""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import files
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

HERE = Path(__file__).resolve().parent
HIDDEN, MELS, LAYERS, FRAMES = 256, 40, 3, 160


class Encoder(torch.nn.Module):
    """Three LSTM layers over mel frames; the last state, projected, rectified, normalised."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = torch.nn.LSTM(MELS, HIDDEN, LAYERS, batch_first=True)
        self.linear = torch.nn.Linear(HIDDEN, HIDDEN)

    def forward(self, mels: torch.Tensor) -> torch.Tensor:
        """(batch, frames, 40) -> (batch, 256), L2-normalised and non-negative."""
        _, (hidden, _) = self.lstm(mels)
        raw = torch.relu(self.linear(hidden[-1]))
        return raw / raw.norm(dim=1, keepdim=True)


def gates_for_onnx(matrix: torch.Tensor) -> torch.Tensor:
    """Reorder rows from torch's (input, forget, cell, output) to ONNX's (input, output, forget, cell)."""
    i, f, c, o = matrix.chunk(4)
    return torch.cat([i, o, f, c])


def to_onnx(encoder: Encoder) -> onnx.ModelProto:
    """Write the network node by node: the graph stays eleven nodes that can be read."""
    weights: list[onnx.TensorProto] = []

    def constant(name: str, value: torch.Tensor) -> str:
        weights.append(numpy_helper.from_array(value.detach().numpy().copy(), name))
        return name

    constant("direction_axis", torch.tensor([1]))
    nodes = [helper.make_node("Transpose", ["mels"], ["x0"], perm=[1, 0, 2])]
    for layer in range(LAYERS):
        part = {key: getattr(encoder.lstm, f"{key}_l{layer}") for key in ("weight_ih", "weight_hh")}
        bias = [gates_for_onnx(getattr(encoder.lstm, f"bias_{key}_l{layer}")) for key in ("ih", "hh")]
        inputs = [
            f"x{layer}",
            constant(f"W{layer}", gates_for_onnx(part["weight_ih"])[None]),
            constant(f"R{layer}", gates_for_onnx(part["weight_hh"])[None]),
            constant(f"B{layer}", torch.cat(bias)[None]),
        ]
        nodes.append(helper.make_node("LSTM", inputs, [f"y{layer}", f"h{layer}"], hidden_size=HIDDEN))
        nodes.append(helper.make_node("Squeeze", [f"y{layer}", "direction_axis"], [f"x{layer + 1}"]))
    constant("first_axis", torch.tensor([0]))
    nodes += [
        helper.make_node("Squeeze", [f"h{LAYERS - 1}", "first_axis"], ["state"]),
        helper.make_node(
            "Gemm",
            [
                "state",
                constant("linear_weight", encoder.linear.weight),
                constant("linear_bias", encoder.linear.bias),
            ],
            ["projected"],
            transB=1,
        ),
        helper.make_node("Relu", ["projected"], ["rectified"]),
        helper.make_node("LpNormalization", ["rectified"], ["embedding"], axis=1, p=2),
    ]
    graph = helper.make_graph(
        nodes,
        "ge2e",
        [helper.make_tensor_value_info("mels", TensorProto.FLOAT, ["windows", "frames", MELS])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["windows", HIDDEN])],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def find_weights() -> Path:
    """Return ``pretrained.pt`` of the installed wheel (or the path given on the command line)."""
    if len(sys.argv) > 1:
        return Path(sys.argv[1])
    found = next(file for file in files("Resemblyzer") or () if file.name == "pretrained.pt")
    return Path(str(found.locate()))


def main() -> None:
    """Convert, compare and save."""
    state = torch.load(find_weights(), map_location="cpu", weights_only=True)["model_state"]
    encoder = Encoder()
    encoder.load_state_dict({key: value for key, value in state.items() if not key.startswith("similarity")})
    encoder.eval()

    target = HERE / "ge2e.onnx"
    target.write_bytes(to_onnx(encoder).SerializeToString())

    mels = np.random.default_rng(0).gamma(0.5, 0.02, size=(8, FRAMES, MELS)).astype(np.float32)
    session = onnxruntime.InferenceSession(str(target), providers=["CPUExecutionProvider"])
    (ours,) = session.run(None, {"mels": mels})
    with torch.no_grad():
        theirs = encoder(torch.from_numpy(mels)).numpy()
    gap = float(np.abs(ours - theirs).max())
    if gap > 1e-5:
        raise SystemExit(f"torch and onnxruntime disagree by {gap:.1e}")
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    print(f"{target.name}: {target.stat().st_size:,} bytes, sha256 {digest}, largest difference {gap:.1e}")


if __name__ == "__main__":
    main()
