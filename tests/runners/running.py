"""Runners of either mode: in a graph their sources are ops, in eager mode functions."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Iterator, List

import pytest
import tensorflow as tf

from queuecompat import queues, train
from tests.queues.modes import LONG, Mode

__all__ = ["World", "world"]

# A stop has to be over within a second; three allow for a machine that does other things as well.
PROMPT_SECONDS = 3.0


class World:
    """A coordinator, the mode's session if there is one, and the threads that were started."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        self.session: Any = mode.session
        self.coord = train.Coordinator()
        self.threads: List[threading.Thread] = []

    def repeated(self, build: Callable[[], Any]) -> Any:
        """What a runner of this mode is given to repeat *build*."""
        return build if tf.executing_eagerly() else build()

    def start(self, runner: Any, coord: bool = True, **arguments: Any) -> List[threading.Thread]:
        given = runner.create_threads(self.session, self.coord if coord else None, daemon=True, start=True, **arguments)
        self.threads += given
        return given

    def stop(self) -> None:
        """Stops and joins: promptly, and all of them.

        Raises:
          whatever was reported to the coordinator.
        """
        began = time.monotonic()
        self.coord.request_stop()
        try:
            self.coord.join(self.threads, stop_grace_period_secs=LONG)
        finally:
            assert not any(thread.is_alive() for thread in self.threads)
            assert time.monotonic() - began < PROMPT_SECONDS

    def source(self, *values: int, is_closed: bool = True) -> Any:
        """A queue that holds *values*."""
        queue = queues.FIFOQueue(100, [tf.int32], [[]])
        self.mode.run(lambda: queue.enqueue_many([list(values)]))
        if is_closed:
            self.mode.run(queue.close)
        return queue

    def drained(self, queue: Any) -> List[int]:
        """What *queue* gives until it ends, sorted."""
        one, taken = self.mode.op(queue.dequeue), []
        try:
            while True:
                taken.append(int(one()))
        except tf.errors.OutOfRangeError:
            return sorted(taken)


@pytest.fixture
def world(mode: Mode) -> Iterator[World]:
    one = World(mode)
    yield one
    if any(thread.is_alive() for thread in one.threads):
        one.stop()
