"""The program of a worker process: waits for tasks, loads items, and writes examples into shared memory.

Rule 1: it ends when its pipe is closed, so it cannot outlive the parent, however that ends.
Rule 2: it ignores Ctrl-C; the parent handles it, and ends this process.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import time
from multiprocessing.connection import Connection
from typing import Any, Dict, Iterator, List, Optional

import numpy as np

from queuecompat.loader.calls import Call, are_several
from queuecompat.loader.memory.blocks import Block, Memory, bytes_needed
from queuecompat.loader.memory.segments import Segment
from queuecompat.loader.memory.structures import ExampleSpec, leaves_of, objects_of, packed, spec_of
from queuecompat.loader.metrics.stages import StageClock, clocked
from queuecompat.loader.workers.messages import (
    Changed,
    Done,
    Failure,
    Found,
    Known,
    Load,
    Misfit,
    Outcome,
    Place,
    Ready,
    Stopped,
    Task,
    Unfit,
    Written,
    pickled,
)

__all__ = ["main"]


def main(connection: Connection, control: str, me: int) -> None:
    """Runs a worker until its pipe is closed. The first message is a pickled ``Call``.

    Args:
      control: the name of the shared segment of int64 numbers: at index 0 the number of the current pass (``turn``), at
        the index of each worker the number of the task that it is loading.
      me: the index of this worker in that segment, from 1.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    with contextlib.suppress(_ParentGoneError):
        call = _first_message(connection, me)
        if call is not None:
            _Worker(connection, call, Segment(control).numbers(), me).work()


def _first_message(connection: Connection, me: int) -> Optional[Call]:
    with _as_parent_gone():
        payload = connection.recv_bytes()
    answer: object = Ready()
    call: Optional[Call] = None
    try:
        call = pickle.loads(payload)
        assert isinstance(call, Call)
        if call.init is not None:
            call.init(me - 1)
    except BaseException as failure:
        answer = Unfit(Failure.of(failure), is_unpickled=call is not None)
        call = None
    # Not ``connection.send``: if the pipe is closed, Python 3.13 writes a message about its buffer to standard error.
    data = pickle.dumps(answer)
    with _as_parent_gone():
        connection.send_bytes(data)
    return call


class _ParentGoneError(BaseException):
    """The pipe is closed. Not an ``Exception``, to distinguish it from what ``load`` raises, which may be EOFError."""


@contextlib.contextmanager
def _as_parent_gone() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as problem:
        raise _ParentGoneError from problem


class _Worker:
    def __init__(self, connection: Connection, call: Call, numbers: np.ndarray, me: int) -> None:
        self._connection = connection
        self._call = call
        self._numbers = numbers
        self._me = me
        self._spec: Optional[ExampleSpec] = None
        self._problem: Optional[BaseException] = None
        self._segments: Dict[str, Segment] = {}
        self._blocks: Dict[Any, Block] = {}

    def work(self) -> None:
        while True:
            message = self._receive()
            self._send(self._done(message))

    def _receive(self) -> Any:
        """Returns the next ``Load`` or ``Place`` (or None); handles ``Known`` and ``Changed`` itself."""
        while True:
            with _as_parent_gone():
                data = self._connection.recv_bytes()
            message = pickle.loads(data)
            if isinstance(message, Changed):
                self._change()
            elif isinstance(message, Known):
                self._spec = message.spec
            else:
                return message

    def _change(self) -> None:
        with _as_parent_gone():
            payload = self._connection.recv_bytes()
        try:
            self._call, self._problem = pickle.loads(payload), None
        except BaseException as failure:
            self._problem = failure  # raised for every item from now on

    def _send(self, message: object) -> None:
        data = pickle.dumps(message)
        with _as_parent_gone():
            self._connection.send_bytes(data)

    def _done(self, message: Load) -> Done:
        since = time.perf_counter()
        with clocked(StageClock("load")) as clock:
            outcomes = self._outcomes(message)
        return Done(outcomes, time.perf_counter() - since, clock.seconds)

    def _outcomes(self, message: Load) -> List[Outcome]:
        outcomes: List[Outcome] = []
        for number, task in enumerate(message.tasks):
            if self._numbers[0] > message.turn:
                outcomes.append(Stopped())
                continue
            self._numbers[self._me] = number
            try:
                outcomes.append(self._outcome(task, message.seed))
            except _ParentGoneError:
                raise
            except BaseException as failure:
                outcomes.append(Failure.of(failure))
        return outcomes

    def _outcome(self, task: Task, seed: int) -> Outcome:
        if self._problem is not None:
            raise self._problem
        block = self._block(task.place) if task.place else None
        views = block.views(task.place.row) if self._call.out and block is not None and task.place is not None else None
        out = None if views is None or block is None else packed(block.spec.treedef, views)
        result = self._call(task.item, self._call.fetched(task.item), seed=seed, out=out)
        several = are_several(result)
        if not several:
            result = self._call.prepared(result)
        if block is None or task.place is None:
            return self._find_places(result if several else iter([result]), several=several)
        if several:
            return Misfit("", True)
        leaves = None if self._spec is None else self._spec.leaves_of(result)
        if leaves is None:
            treedef, leaves = leaves_of(result)
            spec = spec_of(treedef, leaves)
            if spec != self._spec:
                return Misfit(str(spec), False)
        block.write(task.place.row, leaves, views)
        return Written(pickled(objects_of(leaves)))

    def _find_places(self, results: Iterator[Any], *, several: bool) -> Outcome:
        with contextlib.ExitStack() as ends:
            if hasattr(results, "close"):
                ends.callback(results.close)
            for result in results:
                treedef, leaves = leaves_of(self._call.prepared(result) if several else result)
                spec_and_objects = spec_of(treedef, leaves), objects_of(leaves)
                self._send(Found(pickled(spec_and_objects), several))
                place = self._receive()
                if place is None:
                    break
                self._block(place).write(place.row, leaves)
        return Stopped()

    def _block(self, place: Place) -> Block:
        """Returns the block of *place*, which is kept until the worker ends."""
        key = (place.segment, place.offset)
        if key not in self._blocks:
            if place.segment not in self._segments:
                self._segments[place.segment] = Segment(place.segment)
            assert self._spec is not None
            memory = self._segments[place.segment].memory(place.offset, bytes_needed(self._spec, place.rows))
            self._blocks[key] = Block(self._spec, place.rows, memory, _keep)
        return self._blocks[key]


def _keep(memory: Memory) -> None:
    """Does nothing when a block is released: the parent decides for what its memory is used next."""
