"""Models are loaded once, shared, and let go when nobody has asked for a while."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest

from grga.errors import ConfigError
from grga.models.device import batch_size, ctranslate_device, is_gpu
from grga.models.shared import Shelf


class Model:
    """Stands for weights in memory."""


class Clock:
    """Timers that go off when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[float, Callable[[], None], Clock.Timer]] = []

    class Timer:
        daemon = False

        def __init__(self) -> None:
            self.cancelled = False

        def start(self) -> None:
            """Wait for the test."""

        def cancel(self) -> None:
            self.cancelled = True

    def __call__(self, seconds: float, action: Callable[[], None]) -> Clock.Timer:
        timer = Clock.Timer()
        self.waiting.append((seconds, action, timer))
        return timer

    def pass_by(self) -> None:
        for _, action, timer in self.waiting:
            if not timer.cancelled:
                action()
        self.waiting = []


def test_a_model_is_loaded_once_by_however_many_ask_at_the_same_time() -> None:
    shelf, loads, together = Shelf(Clock()), [], Barrier(8)
    slow = Event()

    def load() -> Model:
        loads.append(1)
        slow.wait(0.1)  # long enough that the others are waiting
        return Model()

    def ask() -> Model:
        together.wait(timeout=30)
        return shelf.get("asr", load, 60)

    with ThreadPoolExecutor(8) as pool:
        found = [job.result(timeout=30) for job in [pool.submit(ask) for _ in range(8)]]
    assert len(loads) == 1
    assert len(set(map(id, found))) == 1
    assert shelf.get("vad", Model, 60) is not found[0]


def test_an_idle_model_is_let_go_and_loaded_again_when_somebody_asks() -> None:
    clock = Clock()
    shelf = Shelf(clock)
    gone = weakref.ref(shelf.get("asr", Model, 60))
    assert gone() is not None
    clock.pass_by()
    gc.collect()
    assert gone() is None
    assert isinstance(shelf.get("asr", Model, 60), Model)


def test_a_model_in_use_is_kept_and_found_again() -> None:
    clock = Clock()
    shelf = Shelf(clock)
    working = shelf.get("asr", Model, 60)
    clock.pass_by()
    gc.collect()
    assert shelf.get("asr", Model, 60) is working


def test_each_request_starts_the_wait_anew() -> None:
    clock = Clock()
    shelf = Shelf(clock)
    shelf.get("asr", Model, 60)
    shelf.get("asr", Model, 90)
    (_, first, cancelled), (seconds, _, _) = clock.waiting
    assert cancelled.cancelled
    assert seconds == 90
    first()  # one that went off just before it was cancelled
    gc.collect()
    kept = shelf.get("asr", lambda: pytest.fail("it was let go too early"), 60)
    assert isinstance(kept, Model)


def test_a_load_that_fails_leaves_nothing_behind() -> None:
    shelf = Shelf(Clock())
    with pytest.raises(ZeroDivisionError):
        shelf.get("asr", lambda: 1 // 0, 60)
    assert isinstance(shelf.get("asr", Model, 60), Model)


def test_batches_fit_the_memory_there_is() -> None:
    assert batch_size("cpu", 1.0, most=32) == 32
    assert batch_size("cpu", 1e18) == 1


def test_a_device_that_is_not_there_is_one_sentence() -> None:
    assert ctranslate_device("cpu") == ("cpu", 0)
    with pytest.raises(ConfigError, match=r"this machine has no device 'cuda:7': set models\.device to cpu"):
        ctranslate_device("cuda:7")
    assert (is_gpu("cuda:1"), is_gpu("cpu")) == (True, False)
