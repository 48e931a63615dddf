"""Workers that are processes: each has a thread here that hands it tasks and waits for it and for its death.

Rule 1: processes are spawned, never forked: TensorFlow does not survive a fork.
Rule 2: a thread waits for the pipe and for the process at once, so a killed worker is noticed in the moment it dies;
        a number in shared memory says which item it was at.
Rule 3: ``close`` ends the processes before it takes the names of the shared memory away.
Rule 4: several items go into one message as long as they take a few milliseconds together.
Rule 5: a process that dies takes one item with it at most: the one it was at. The others that it was sent are loaded
        again, by its successor.

Guarantees: a pool that was closed, or whose processes were killed, is never used for another pass (``is_usable``).
Locks: ``_lock`` is for the shared memory, the list of processes and the end. It is taken with the lock of a pass held,
never the other way round.
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
from queuecompat.loader.blocks import Block, Heap
from queuecompat.loader.calls import Call
from queuecompat.loader.failures import LoadError, WorkerDiedError, last_line, load_error
from queuecompat.loader.passes import NotWantedError, Pass, Work
from queuecompat.loader.remote import Done, Failure, Load, Misfit, Place, Task, Unfit, Written, unpickled
from queuecompat.loader.segments import Segment, Segments
from queuecompat.loader.streams import Batch, Example
from queuecompat.loader.structures import Form
from queuecompat.loader.walks import is_sequence
from queuecompat.loader.worker_process import ProcessEndedError, WorkerProcess

__all__ = ["Crew"]

_NOT_BEGUN = -1  # instead of the number of the task that a process is at
_MOST_KEPT = 8  # batches of the consumer's in shared memory
_MOST_STARTS = 3  # in a row, of processes that end before they have begun with an item


class Crew:
    """The worker processes of a loader, and the memory that they share.

    Raises:
      QueueCompatTypeError: QC610, *call* cannot be pickled.
      QueueCompatRuntimeError: QC614, this process is itself one that is just being spawned; QC634, it is daemonic.
    """

    patience = 0.3  # seconds for an item that is not wanted any more; then its process is killed
    patience_after_force = 5.0

    def __init__(self, call: Call, seed: int, *, count: int, batch_size: int, made_at: str) -> None:
        self._call = call
        self._seed = seed
        self._batch_size = batch_size
        self._made_at = made_at
        _refuse_where_none_can_be_started()
        # The function and the source from an epoch on, as far as they have changed since the one before.
        self._payloads: List[Tuple[int, bytes]] = [(0, _pickled(call))]
        self._is_fresh = True
        self._kept: List[weakref.ref[Any]] = []  # blocks that the consumer has
        self._heap = Heap()
        self._control = Segment(size=8 * (count + 1))
        self._numbers = self._control.numbers()
        self._numbers[:] = 0
        self._segments: Optional[Segments] = None
        self._lock = threading.Lock()
        self._members: List[WorkerProcess] = []
        self._is_closed = False
        self._is_killed = False
        self._process = os.getpid()
        try:
            for number in range(1, count + 1):
                self._members.append(WorkerProcess(self._control.name, number))
        except BaseException:
            self.close()
            raise

    @property
    def is_usable(self) -> bool:
        """Whether another pass can begin with these processes."""
        with self._lock:
            gone = self._is_closed or self._is_killed
            return not gone and all(member.process.is_alive() for member in self._members)

    def take(self, form: Form, rows: int) -> Block:
        """Memory for *rows* examples."""
        with self._lock:
            if self._segments is None:
                self._segments = Segments(form, self._made_at)
            return self._segments.take(rows)

    def for_consumer(self, block: Block) -> Block:
        """*block*; or a copy in this process's own memory, which bounds what kept batches cost of the shared one."""
        self._kept = [one for one in self._kept if one() is not None]
        if len(self._kept) >= _MOST_KEPT:
            return block.copied_to(self._heap.take(block.form, block.rows))
        self._kept.append(weakref.ref(block.lent))
        return block

    def begin_epoch(self, epoch: int) -> None:
        """From here on the processes load from what the source is now."""
        if self._is_fresh:
            self._is_fresh = False
            return
        payload = _pickled(self._call)
        if payload != self._payloads[-1][1]:
            self._payloads.append((epoch, payload))

    def workers(self) -> List[Callable[[Pass], None]]:
        """A thread's work for each process, for one pass."""
        return [functools.partial(self._look_after, member) for member in self._members]

    def interrupt(self) -> None:
        """Items that no process has begun with are left out; what comes later belongs to the next pass."""
        with self._lock:
            if not self._is_closed:
                self._numbers[0] += 1

    def at_work(self, works: List[Work]) -> List[Work]:
        """Of *works*, those that a process is at; the others wait in its pipe."""
        numbers = [(member, int(self._numbers[member.number])) for member in list(self._members)]
        busy = [member.group[number] for member, number in numbers if 0 <= number < len(member.group)]
        for work in busy:
            self._name(work)
        return [work for work in works if work in busy] or works

    def force(self, works: List[Work]) -> None:
        """Kills all processes, whatever they are at."""
        with self._lock:
            # First: a thread that sees its process die must not start another one.
            self._is_killed = True
            for member in self._members:
                member.kill()

    def close(self) -> None:
        """Ends all processes, and releases the memory. May be called twice."""
        if os.getpid() != self._process:
            return  # a fork: they are the parent's
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            for member in self._members:
                member.hang_up()
            deadline = WorkerProcess.exit_deadline()
            for member in self._members:
                member.end(deadline)
            if self._segments is not None:
                self._segments.close()
            self._control.unlink()
            # A failure's traceback may keep this crew for long; it must not keep the memory.
            self._members, self._segments = [], None
            del self._control, self._numbers

    # On the thread of one process.

    def _look_after(self, member: WorkerProcess, desk: Pass) -> None:
        turn = int(self._numbers[0])
        member.waiting, member.group = [], []
        if not self._is_ready(member, desk):
            return
        task = desk.next_work()
        while task is not None:
            if isinstance(task, Batch):
                desk.gather(task)
            elif not self._load(member, desk, task, turn):
                return
            task = desk.next_work()

    def _is_ready(self, member: WorkerProcess, desk: Pass) -> bool:
        if not member.is_ready:
            try:
                member.send_payload(self._payloads[0][1], 0)
                answer = member.receive()
            except ProcessEndedError:
                desk.break_now(load_error("QC615", self._made_at, how=member.how_it_ended()))
                return False
            if isinstance(answer, Unfit):
                cause = answer.failure.exception()
                desk.break_now(load_error("QC611", self._made_at, cause=cause, raised=answer.failure.line))
                return False
            member.is_ready = True
        return True

    def _load(self, member: WorkerProcess, desk: Pass, first: Work, turn: int) -> bool:
        """Loads *first*, and more as long as there is more at once. False: there is no process any more."""
        member.waiting = [first]
        starts = 0
        while member.waiting or member.group:
            try:
                self._go_on(member, desk, turn)
            except ProcessEndedError:
                blamed = self._take_back(member)
                starts = 0 if blamed else starts + 1
                if not self._outlive(member, desk, blamed, starts):
                    return False
        return True

    def _go_on(self, member: WorkerProcess, desk: Pass, turn: int) -> None:
        most = member.items_a_message(self._batch_size // (2 * len(self._members)))
        if member.group:
            if member.is_fast and not member.waiting:
                # While the process is at these, the next ones are got ready.
                member.waiting = desk.more_work(most)
            done = member.done()
            group, member.group = member.group, []
            try:
                self._send(member, desk, turn)
            finally:
                self._conclude(desk, group, done)
            return
        if member.waiting[0].place is None:
            self._converse(member, desk, turn)
            return
        if len(member.waiting) == 1:
            member.waiting += desk.more_work(most - 1)
        self._send(member, desk, turn)

    def _send(self, member: WorkerProcess, desk: Pass, turn: int) -> None:
        """Sends those that have a place; one without, which can only be the last, stays."""
        works = [work for work in member.waiting if work.place is not None]
        if not works:
            return
        version = self._version(works[0])
        works = [work for work in works if self._version(work) == version]
        self._bring_up_to(version, member)
        self._numbers[member.number] = _NOT_BEGUN
        member.group, member.waiting = works, member.waiting[len(works) :]
        tasks = [Task(work.item, _place(work.place) if work.place else None) for work in works]
        member.send(Load(turn, self._seed, tasks), desk.form)

    def _version(self, work: Work) -> int:
        """The number of the payload that *work* is loaded from."""
        versions = range(len(self._payloads) - 1, -1, -1)
        return next(version for version in versions if self._payloads[version][0] <= work.item.epoch or not version)

    def _bring_up_to(self, version: int, member: WorkerProcess) -> None:
        if member.version != version:
            member.send_payload(self._payloads[version][1], version)

    def _conclude(self, desk: Pass, works: List[Work], done: Done) -> None:
        """What became of items that had their places from the beginning."""
        written = []
        for work, outcome in zip(works, done.outcomes):
            problem = self._problem(desk, work, outcome)
            if problem is not None:
                self._name(work)
                desk.fail(work, problem)
            elif isinstance(outcome, Written):
                written.append(work)
        desk.finish(written, with_examples=True)

    def _problem(self, desk: Pass, work: Work, outcome: object) -> Optional[BaseException]:
        if isinstance(outcome, Misfit):
            self._name(work)
            return desk.misfit(work, outcome.form, several=outcome.several)
        if isinstance(outcome, Failure):
            return outcome.exception()
        if isinstance(outcome, Written) and outcome.objects and work.place is not None:
            try:
                work.place.block.write_objects(work.place.row, unpickled(outcome.objects))
            except Exception as failure:  # of the objects' own classes
                return failure
        return None

    def _converse(self, member: WorkerProcess, desk: Pass, turn: int) -> None:
        """Has an item loaded, and gives a place to each example that is found, until all is done."""
        work = member.waiting.pop(0)
        self._name(work)
        self._bring_up_to(self._version(work), member)
        self._numbers[member.number] = _NOT_BEGUN
        member.group = [work]
        member.send(Load(turn, self._seed, [Task(work.item, None)]), desk.form)
        problem: Optional[Exception] = None
        placed: Optional[Example] = None
        while True:
            answer = member.receive()
            if placed is not None:
                # The worker goes on only when it has written the last one.
                desk.add(work, placed)
                placed = None
            if isinstance(answer, Done):
                break
            try:
                form, objects = unpickled(answer.form_and_objects)
            except Exception as failure:  # of the objects' own classes
                problem = failure
            else:
                try:
                    placed = self._placed(desk, work, form, objects, several=answer.several)
                except (LoadError, NotWantedError) as stop:
                    problem = stop
                except BaseException:
                    member.kill()  # it waits for an answer, and no other pass can go on with it
                    raise
            member.send(_place(placed) if placed else None, desk.form)
        member.group = []
        outcome = answer.outcomes[0]
        if isinstance(outcome, Failure):
            desk.fail(work, outcome.exception())
        elif problem is None:
            desk.end(work)
        elif not isinstance(problem, NotWantedError):
            desk.fail(work, problem)

    def _placed(self, desk: Pass, work: Work, form: Form, objects: List[np.ndarray], *, several: bool) -> Example:
        desk.check(work, form, objects, several=several)
        example = desk.place(work)
        example.block.write_objects(example.row, objects)
        return example

    # When a process has died.

    def _take_back(self, member: WorkerProcess) -> Optional[Work]:
        """The item that the process was at, if any; what else it was sent waits for its successor."""
        lost, member.group = member.group, []
        number = int(self._numbers[member.number])
        blamed = lost[number] if lost and number != _NOT_BEGUN else None
        member.waiting = [work for work in lost if work is not blamed] + member.waiting
        return blamed

    def _outlive(self, member: WorkerProcess, desk: Pass, blamed: Optional[Work], starts: int) -> bool:
        """Whether the loader goes on without *blamed*, with another process in the place of this one."""
        how = member.how_it_ended()
        if starts > _MOST_STARTS:
            desk.break_now(load_error("QC615", self._made_at, how=how))
            return False
        if blamed is not None:
            self._name(blamed)
            cause = WorkerDiedError(f"the worker process {how}")
            problem = load_error("QC612", self._made_at, item=blamed.item, value=blamed.value, cause=cause, how=how)
            if not desk.skips:
                desk.break_now(problem)
                return False
            desk.fail(blamed, problem)
        return self._replace(member, desk)

    def _replace(self, member: WorkerProcess, desk: Pass) -> bool:
        if not desk.is_wanted:
            return False
        with self._lock:
            if self._is_closed or self._is_killed:
                return False
            member.replace()
        return self._is_ready(member, desk)

    def _name(self, work: Work) -> None:
        """Fetches what messages call the item, where that costs nothing."""
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
    # What multiprocessing itself looks at; its own messages would be an assertion, or an error of twenty lines.
    if getattr(process, "_inheriting", False):
        raise error(QueueCompatRuntimeError, "QC614")
    if process.daemon:
        raise error(QueueCompatRuntimeError, "QC634")
