"""Worker processes. Each is controlled by a thread here, which sends it tasks, and waits for its answers or its end.

Rule 1: processes are spawned, never forked: TensorFlow does not survive a fork.
Rule 2: a thread waits for the pipe and for the process at the same time, so it notices at once when a worker is killed;
        a number in shared memory says which item the worker was loading.
Rule 3: ``close`` ends the processes before it unlinks the shared memory.
Rule 4: several items are sent in one message as long as they take at most a few milliseconds together.
Rule 5: a process that dies loses at most one item: the one that it was loading. The other items that it was sent are
        loaded by its replacement.

Guarantees:
  - A pool that was closed, or whose processes were killed, is never used for another run (``is_usable``).
  - In every process, an item is loaded from the source as it was at the beginning of the item's epoch
    (``begin_epoch``).
  - Shared memory is used only for the queue and a few of the consumer's batches, however many batches the consumer
    keeps (``for_consumer``).
Assumes: one run at a time; each ``WorkerProcess`` is used by one thread, except to kill it and in ``close``.
Locks: ``_lock`` protects the shared memory, the list of processes, their replacement and ``close``. It may be taken
while the lock of a run is held, never the other way round.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import threading
import weakref
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError, error
from queuecompat.loader.calls import Call
from queuecompat.loader.failures import LoadError, WorkerDiedError, last_line, load_error
from queuecompat.loader.memory.blocks import Block, BufferPool
from queuecompat.loader.memory.segments import Segment, Segments
from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.metrics.stages import IN_PROCESS, stage
from queuecompat.loader.order.sampler import is_sequence
from queuecompat.loader.run.epoch_run import EpochRun
from queuecompat.loader.run.work import NotWantedError, PoolConfig, Work
from queuecompat.loader.stream.examples import Batch, Example
from queuecompat.loader.workers.messages import Done, Failure, Load, Misfit, Place, Task, Unfit, Written, unpickled
from queuecompat.loader.workers.worker_process import ProcessEndedError, WorkerProcess

__all__ = ["ProcessPool"]

_NOT_BEGUN = -1  # the number in shared memory of a process that has not begun a task of its last message
_MOST_KEPT = 8  # the maximum number of batches in shared memory that the consumer may hold
_MOST_STARTS = 3  # how often in a row a process is replaced that ended before it began an item


class ProcessPool:
    """The worker processes of a loader, and the memory that they share.

    Raises:
      QueueCompatTypeError: QC610, the source or ``load`` cannot be pickled.
      QueueCompatRuntimeError: QC614, this process is itself just being spawned, and imports the main module; QC634, it
        is daemonic.
    """

    close_timeout = 0.3  # seconds to finish an item that is not wanted any more; then its process is killed
    kill_timeout = 5.0

    def __init__(self, config: PoolConfig) -> None:
        self._call = config.call
        self.prepares = config.call.init is not None
        self._seed = config.seed
        self._most = config.items_at_once
        self._made_at = config.made_at
        _refuse_where_none_can_be_started()
        # The pickled function and source, each with the epoch from which it is used; one more whenever it has changed.
        self._payloads: List[Tuple[int, bytes]] = [(0, _pickled(config.call))]
        self._is_fresh = True
        self._kept: List[weakref.ref[Any]] = []  # blocks of shared memory that the consumer holds
        self._is_pinned = config.allocated is not None  # shared memory cannot be pinned: the consumer gets copies
        self._heap = BufferPool(config.allocated)
        self._control = Segment(size=8 * (config.count + 1))
        self._numbers = self._control.numbers()
        self._numbers[:] = 0
        self._segments: Optional[Segments] = None
        self._lock = threading.Lock()
        self._processes: List[WorkerProcess] = []
        self._is_closed = False
        self._is_killed = False
        self._process = os.getpid()
        try:
            for number in range(1, config.count + 1):
                self._processes.append(WorkerProcess(self._control.name, number))
        except BaseException:
            self.close()
            raise

    @property
    def is_usable(self) -> bool:
        """Whether the next pass can use these processes."""
        with self._lock:
            gone = self._is_closed or self._is_killed
            return not gone and all(process.handle.is_alive() for process in self._processes)

    def take(self, spec: ExampleSpec, rows: int) -> Block:
        """Returns a block of shared memory for *rows* examples of *spec*."""
        with self._lock:
            if self._segments is None:
                self._segments = Segments(spec, self._made_at)
            return self._segments.take(rows)

    def for_consumer(self, block: Block) -> Block:
        """Returns *block*; or a copy of it in memory of this process, if that has to be pinned, or if the consumer
        holds ``_MOST_KEPT`` batches in shared memory already."""
        with self._lock:
            self._kept = [one for one in self._kept if one() is not None]
            if len(self._kept) < _MOST_KEPT and not self._is_pinned:
                self._kept.append(weakref.ref(block.borrowed))
                return block
        return block.copied_to(self._heap.take(block.spec, block.rows))

    def begin_epoch(self, epoch: int) -> None:
        """Makes the processes load the items of *epoch*, and later ones, from the source as it is now."""
        if self._is_fresh:
            self._is_fresh = False
            return
        payload = _pickled(self._call)
        if payload != self._payloads[-1][1]:
            self._payloads.append((epoch, payload))

    def workers(self) -> List[Callable[[EpochRun], None]]:
        """Returns, for each process, the function that its thread runs in one pass."""
        return [functools.partial(self._look_after, process) for process in self._processes]

    def interrupt(self) -> None:
        """Makes the processes skip items that they have not begun. Later messages belong to the next pass."""
        with self._lock:
            if not self._is_closed:
                self._numbers[0] += 1

    def in_progress(self, works: List[Work]) -> List[Work]:
        """Returns those of *works* that a process is loading now; the others wait in a pipe."""
        with self._lock:  # ``close`` deletes the numbers
            numbers = [(process, int(self._numbers[process.number])) for process in self._processes]
        busy = [process.group[number] for process, number in numbers if 0 <= number < len(process.group)]
        for work in busy:
            self._name(work)
        return [work for work in works if work in busy] or works

    def end_pass(self) -> None:
        """Does nothing: the next pass may use this pool, too."""

    def force(self, loading: str) -> None:
        """Kills all processes, whatever they are doing."""
        with self._lock:
            # As the first step: a thread that sees its process die must not start a replacement.
            self._is_killed = True
            for process in self._processes:
                process.kill()

    def close(self) -> None:
        """Ends all processes, and releases the memory. May be called several times."""
        if os.getpid() != self._process:
            return  # a forked process: the worker processes belong to its parent
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            for process in self._processes:
                process.hang_up()
            deadline = WorkerProcess.exit_deadline()
            for process in self._processes:
                process.end(deadline)
            if self._segments is not None:
                self._segments.close()
            self._control.unlink()
            # The traceback of a failure may keep this pool alive for long; it must not keep the memory.
            self._heap.forget()
            self._processes, self._segments = [], None
            del self._control, self._numbers

    # Called on the thread that controls one process.

    def _look_after(self, process: WorkerProcess, run: EpochRun) -> None:
        turn = int(self._numbers[0])
        process.waiting, process.group = [], []
        if not self._is_ready(process, run):
            return
        if self.prepares:
            run.worker_prepared()
        task = run.next_work()
        while task is not None:
            if isinstance(task, Batch):
                run.gather(task)
            else:
                with stage(IN_PROCESS):
                    is_there = self._load(process, run, task, turn)
                if not is_there:
                    return
            task = run.next_work()

    def _is_ready(self, process: WorkerProcess, run: EpochRun) -> bool:
        if not process.is_ready:
            try:
                process.send_payload(self._payloads[0][1], 0)
                answer = process.receive()
            except ProcessEndedError:
                run.break_now(load_error("QC615", self._made_at, how=process.how_it_ended()))
                return False
            if isinstance(answer, Unfit):
                cause = answer.failure.exception()
                code = "QC643" if answer.is_unpickled else "QC611"
                run.break_now(load_error(code, self._made_at, cause=cause, raised=answer.failure.line))
                return False
            process.is_ready = True
        return True

    def _load(self, process: WorkerProcess, run: EpochRun, first: Work, turn: int) -> bool:
        """Loads *first*, and further items as long as ``more_work`` returns some.

        Returns:
          False if the process has ended and is not replaced.
        """
        process.waiting = [first]
        starts = 0
        while process.waiting or process.group:
            try:
                self._go_on(process, run, turn)
            except ProcessEndedError:
                blamed = self._take_back(process)
                starts = 0 if blamed else starts + 1
                if not self._outlive(process, run, blamed, starts):
                    return False
        return True

    def _go_on(self, process: WorkerProcess, run: EpochRun, turn: int) -> None:
        most = process.items_a_message(self._most)
        if process.group:
            if process.is_fast and not process.waiting:
                # While the process loads these items, the next ones are prepared.
                process.waiting = run.more_work(most, len(self._processes))
            done = process.done()
            group, process.group = process.group, []
            try:
                self._send(process, run, turn)
            finally:
                self._conclude(run, group, done)
            return
        if process.waiting[0].place is None:
            self._converse(process, run, turn)
            return
        if len(process.waiting) == 1:
            process.waiting += run.more_work(most - 1, len(self._processes))
        self._send(process, run, turn)

    def _send(self, process: WorkerProcess, run: EpochRun, turn: int) -> None:
        """Sends those waiting items that have a place. One without a place, which can only be the last, still waits."""
        works = [work for work in process.waiting if work.place is not None]
        if not works:
            return
        version = self._version(works[0])
        works = [work for work in works if self._version(work) == version]
        self._bring_up_to(version, process)
        self._numbers[process.number] = _NOT_BEGUN
        process.group, process.waiting = works, process.waiting[len(works) :]
        tasks = [Task(work.item, _place(work.place) if work.place else None) for work in works]
        process.send(Load(turn, self._seed, tasks), run.spec)

    def _version(self, work: Work) -> int:
        """Returns the number of the payload (pickled function and source) from which *work* is loaded."""
        versions = range(len(self._payloads) - 1, -1, -1)
        return next(version for version in versions if self._payloads[version][0] <= work.item.epoch or not version)

    def _bring_up_to(self, version: int, process: WorkerProcess) -> None:
        if process.version != version:
            process.send_payload(self._payloads[version][1], version)

    def _conclude(self, run: EpochRun, works: List[Work], done: Done) -> None:
        """Reports the outcomes of items that were sent with their places."""
        run.count_stages(done.stages)
        written = []
        for work, outcome in zip(works, done.outcomes):
            problem = self._problem(run, work, outcome)
            if problem is not None:
                self._name(work)
                run.fail(work, problem)
            elif isinstance(outcome, Written):
                written.append(work)
        run.finish(written, with_examples=True)

    def _problem(self, run: EpochRun, work: Work, outcome: object) -> Optional[BaseException]:
        if isinstance(outcome, Misfit):
            self._name(work)
            return run.specs.misfit(work, outcome.spec, several=outcome.several)
        if isinstance(outcome, Failure):
            return outcome.exception()
        if isinstance(outcome, Written) and outcome.objects and work.place is not None:
            try:
                work.place.block.write_objects(work.place.row, unpickled(outcome.objects))
            except Exception as failure:  # raised by the objects' own classes
                return failure
        return None

    def _converse(self, process: WorkerProcess, run: EpochRun, turn: int) -> None:
        """Loads one item that was sent without a place: assigns a place to each example that the process reports."""
        work = process.waiting.pop(0)
        self._name(work)
        self._bring_up_to(self._version(work), process)
        self._numbers[process.number] = _NOT_BEGUN
        process.group = [work]
        process.send(Load(turn, self._seed, [Task(work.item, None)]), run.spec)
        outcome, problem = self._written(process, run, work)
        process.group = []
        if isinstance(outcome, Failure):
            run.fail(work, outcome.exception())
        elif problem is None:
            run.end(work)
        elif not isinstance(problem, NotWantedError):
            run.fail(work, problem)

    def _written(self, process: WorkerProcess, run: EpochRun, work: Work) -> Tuple[object, Optional[Exception]]:
        """Assigns places to the examples of *work* until the process reports that it is done.

        Returns:
          The outcome that the process reports, and why an example got no place, if one got none.
        """
        problem: Optional[Exception] = None
        placed: Optional[Example] = None
        while True:
            answer = process.receive()
            if placed is not None:
                # Any further answer means that the worker has written the last example.
                run.add(work, placed)
                placed = None
            if isinstance(answer, Done):
                run.count_stages(answer.stages)
                return answer.outcomes[0], problem
            try:
                spec, objects = unpickled(answer.spec_and_objects)
            except Exception as failure:  # raised by the objects' own classes
                problem = failure
            else:
                try:
                    placed = self._placed(run, work, spec, objects, several=answer.several)
                except (LoadError, NotWantedError) as stop:
                    problem = stop
                except BaseException:
                    process.kill()  # it waits for an answer that it will not get, so no other pass can use it
                    raise
            process.send(_place(placed) if placed else None, run.spec)

    def _placed(
        self, run: EpochRun, work: Work, spec: ExampleSpec, objects: List[np.ndarray], *, several: bool
    ) -> Example:
        run.specs.check(work, spec, objects, several=several)
        example = run.place(work)
        example.block.write_objects(example.row, objects)
        return example

    # Called when a process has died.

    def _take_back(self, process: WorkerProcess) -> Optional[Work]:
        """Returns the item that the process was loading, or None. The other items that it was sent wait for its
        replacement."""
        lost, process.group = process.group, []
        number = int(self._numbers[process.number])
        blamed = lost[number] if lost and number != _NOT_BEGUN else None
        process.waiting = [work for work in lost if work is not blamed] + process.waiting
        return blamed

    def _outlive(self, process: WorkerProcess, run: EpochRun, blamed: Optional[Work], starts: int) -> bool:
        """Handles the death of *process*: reports *blamed*, the item that it was loading, and replaces the process.

        Args:
          starts: how many processes in a row have ended before they began an item.
        Returns:
          Whether the loader goes on, with a new process.
        """
        how = process.how_it_ended()
        if starts > _MOST_STARTS:
            run.break_now(load_error("QC615", self._made_at, how=how))
            return False
        if blamed is not None:
            self._name(blamed)
            cause = WorkerDiedError(f"the worker process {how}")
            problem = load_error("QC612", self._made_at, item=blamed.item, value=blamed.value, cause=cause, how=how)
            if not run.skips:
                run.break_now(problem)
                return False
            run.fail(blamed, problem)
        return self._replace(process, run)

    def _replace(self, process: WorkerProcess, run: EpochRun) -> bool:
        if not run.is_wanted:
            return False
        with self._lock:
            if self._is_closed or self._is_killed:
                return False
            process.replace()
        return self._is_ready(process, run)

    def _name(self, work: Work) -> None:
        """Fetches the value of the item for messages, if that costs nothing."""
        if isinstance(self._call.source, (list, range, tuple)):
            work.value = self._call.source[work.item.index]


def _place(example: Example) -> Place:
    name, offset = example.block.memory.place
    return Place(name, offset, example.block.rows, example.row)


def _pickled(call: Call) -> bytes:
    try:
        return pickle.dumps(call.for_processes(is_sequence(call.source)))
    except Exception as problem:
        raise error(QueueCompatTypeError, "QC610", raised=last_line(problem)) from problem


def _refuse_where_none_can_be_started() -> None:
    process = multiprocessing.current_process()
    # The same tests as in multiprocessing, whose own errors would be an assertion, or a message of twenty lines.
    if getattr(process, "_inheriting", False):
        raise error(QueueCompatRuntimeError, "QC614")
    if process.daemon:
        raise error(QueueCompatRuntimeError, "QC634")
