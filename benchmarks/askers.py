"""How long do visitors wait when many ask at the same time?

Starts the app on a home of its own with the bundled samples and lets each of N clients, every one a session of
its own, ask the sample different questions at once. Prints how many answers came, the median and the longest
wait, and the same for one client alone.

    python -m benchmarks.askers               twenty clients
    python -m benchmarks.askers --clients 40
"""

from __future__ import annotations

import argparse
import socket
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
READY = "GRGA is ready at "


def start(home: str) -> tuple[subprocess.Popen[str], str]:
    """Return the running app and its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "app.py", "--port", str(port), "--home", home],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(READY):
            return process, line.removeprefix(READY).strip()
    raise SystemExit("the app did not start")


def ask_at_once(clients: list, meeting: str) -> tuple[list[float], int]:
    """Return each client's wait in seconds and how many answers came, each for its own question."""
    together = Barrier(len(clients))

    def ask(place: int) -> tuple[float, bool]:
        question = f"What is said at {60 + 8 * place % 200} seconds?"
        together.wait()
        began = perf_counter()
        answer = clients[place].predict(question, meeting=meeting, api_name="/ask_meeting")
        return perf_counter() - began, answer["question"] == question

    with ThreadPoolExecutor(len(clients)) as pool:
        done = list(pool.map(ask, range(len(clients))))
    return [seconds for seconds, _ in done], sum(mine for _, mine in done)


def main() -> None:
    """Run and print."""
    from gradio_client import Client

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        process, address = start(home)
        try:
            clients = [
                Client(address, verbose=False, httpx_kwargs={"timeout": 120}) for _ in range(given.clients)
            ]
            meeting = next((Path(home) / "meetings").iterdir()).name
            ask_at_once(clients[:1], meeting)  # the models are loaded by the first question
            for some in (clients[:1], clients):
                waits, mine = ask_at_once(some, meeting)
                print(
                    f"{len(some):3} at once: {mine} answers, median {statistics.median(waits):.2f} s, "
                    f"longest {max(waits):.2f} s"
                )
        finally:
            process.terminate()
            process.wait(timeout=30)


if __name__ == "__main__":
    main()
