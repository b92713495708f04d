"""Models loaded once per process, shared by all who ask, and let go when nobody has asked for a while.

Only the shelf's own hold on a model ends: whoever still works with it keeps it alive, and finds it again
under the same key, so nothing is unloaded in the middle of its work.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock, Timer
from typing import Any, TypeVar
from weakref import WeakValueDictionary

Model = TypeVar("Model")


class Shelf:
    """See the module. ``timer`` makes what calls a function after so many seconds."""

    def __init__(self, timer: Callable[[float, Callable[[], None]], Any] = Timer) -> None:
        self._timer = timer
        self._alive: WeakValueDictionary[Hashable, Any] = WeakValueDictionary()
        self._held: dict[Hashable, tuple[Any, Any]] = {}
        self._locks: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, load: Callable[[], Model], idle_seconds: float) -> Model:
        """Return the model under ``key``, loaded by the first who asks.

        Args:
            key: Everything that makes it this model: backend, weights, device.
            load: Makes it; several threads asking at once load it once.
            idle_seconds: How long after the last request the shelf lets it go.
        """
        with self._lock:
            own = self._locks.setdefault(key, Lock())
        with own:
            model: Model | None = self._alive.get(key)
            if model is None:
                model = load()
                self._alive[key] = model
            self._hold(key, model, idle_seconds)
            return model

    def _hold(self, key: Hashable, model: Any, idle_seconds: float) -> None:
        timer = self._timer(idle_seconds, lambda: self._let_go(key, timer))
        timer.daemon = True
        with self._lock:
            if key in self._held:
                self._held[key][1].cancel()
            self._held[key] = model, timer
        timer.start()

    def _let_go(self, key: Hashable, timer: Any) -> None:
        with self._lock:
            # A later request has set a timer of its own.
            if key in self._held and self._held[key][1] is timer:
                del self._held[key]


_SHELF = Shelf()


def shared(key: Hashable, load: Callable[[], Model], idle_seconds: float = 600.0) -> Model:
    """Return a model of this process's shelf; see :meth:`Shelf.get`."""
    return _SHELF.get(key, load, idle_seconds)
