"""Records the steps of this process in a file and ends the program after a number of them, for ``run --compare``.

Rule: After the last step the program ends as if ``sys.exit(0)`` was called in that step, so that its ``with`` blocks
and exit handlers run. If it continues nevertheless, ``os._exit`` ends it after ``GRACE`` seconds.
Locks: ``_lock`` is held while a step is counted and written.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, Optional, Tuple

import tensorflow as tf

from queuecompat._plan.stages import NativeStage
from queuecompat._session.backend import SessionBackend
from queuecompat._session.steps import sessions
from queuecompat._session.steps.fetches import flat, ops_required_by

__all__ = ["GRACE", "record"]

GRACE = 20.0  # seconds that a program has to end
_BATCHES = ("QueueDequeueManyV2", "QueueDequeueUpToV2")
_DRAWS = (*_BATCHES, "QueueDequeueV2", "IteratorGetNext")
_FILLS = ("QueueEnqueueV2", "QueueEnqueueManyV2")


def record(path: str, steps: int) -> Callable[[], None]:
    """Writes the steps of this process to a file (``step_log``), and ends the program with step number *steps*.

    Args:
      path: of the file, which must exist.
    Returns:
      A function to call when the program has ended.
    """
    recorder = _Recorder(path, steps)
    SessionBackend.observers.append(recorder.graphs.append)
    sessions.after_steps.append(recorder.count)
    return recorder.finish


class _Recorder:
    def __init__(self, path: str, steps: int) -> None:
        self.graphs: List[SessionBackend] = []
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        self._process = os.getpid()
        self._left = steps
        self._draws: weakref.WeakKeyDictionary[tf.Graph, Dict[Tuple[str, ...], Optional[int]]] = (
            weakref.WeakKeyDictionary()
        )
        self._lock = threading.Lock()
        self._write("begin", *_clocks())

    def count(self, session: tf.compat.v1.Session, fetches: Any) -> None:
        """Called after a step of *session* that ran *fetches*."""
        if os.getpid() != self._process:
            return  # a forked child of the program
        with self._lock:
            taken = self._taken(session.graph, fetches)
            if taken is None:
                return
            if self._left > 0:
                self._left -= 1
                self._write("step", *_clocks(), taken)
                if not self._left:
                    ending = threading.Timer(GRACE, os._exit, (0,))
                    ending.daemon = True
                    ending.start()
            if self._left:
                return
        raise SystemExit(0)

    def finish(self) -> None:
        """Called when the program has ended."""
        if os.getpid() == self._process:
            self._write("pipelines", *self._pipelines())

    def _taken(self, graph: tf.Graph, fetches: Any) -> Optional[int]:
        """Returns the number of examples that *fetches* take, 0 if it is not known; None if they are not a step."""
        known = self._draws.setdefault(graph, {})
        key = tuple(str(getattr(fetch, "name", fetch)) for fetch in flat(fetches))
        if key not in known:
            known[key] = _examples([graph.get_operation_by_name(name) for name in ops_required_by(graph, fetches)])
        return known[key]

    def _pipelines(self) -> Tuple[int, int]:
        compiled = sum(not backend.is_inner(one) for backend in self.graphs for one in backend.throughputs())
        stages = [stage for backend in self.graphs for stage in backend.pipelines.stages]
        return compiled, sum(isinstance(stage, NativeStage) for stage in stages)

    def _write(self, *words: object) -> None:
        os.write(self._file, (" ".join(map(str, words)) + "\n").encode())


def _clocks() -> Tuple[float, float]:
    return time.monotonic(), time.process_time()


def _examples(ops: List[tf.Operation]) -> Optional[int]:
    """Returns how many examples *ops* take from queues; 0: not known; None: they take nothing, or fill a queue."""
    draws = [op for op in ops if op.type in _DRAWS]
    if not draws or any(op.type in _FILLS for op in ops):
        return None
    sizes = [tf.get_static_value(op.inputs[1]) if op.type in _BATCHES else None for op in draws]
    known = [int(size) for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else 0
