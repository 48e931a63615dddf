"""Workers that are processes: each has a thread here that hands it tasks and waits for it and for its death.

Rule 1: processes are spawned, never forked: TensorFlow does not survive a fork.
Rule 2: a thread waits for the pipe and for the process at once, so a killed worker is noticed in the moment it dies;
        a number in shared memory says which item it was at.
Rule 3: ``close`` ends the processes before it takes the names of the shared memory away.
Rule 4: several items go into one message as long as they take a few milliseconds together.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import multiprocessing
import multiprocessing.connection
import pickle
import signal
import threading
from typing import Any, Callable, Iterator, List, Optional

from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError, error
from queuecompat.loader import child
from queuecompat.loader.blocks import Block
from queuecompat.loader.calls import Call
from queuecompat.loader.failures import LoadError, last_line, load_error
from queuecompat.loader.passes import NotWantedError, Pass, Work
from queuecompat.loader.remote import Done, Failure, Known, Load, Misfit, Place, Task, Unfit, Written
from queuecompat.loader.segments import Segment, Segments
from queuecompat.loader.streams import Batch, Example
from queuecompat.loader.structures import Form
from queuecompat.loader.walks import is_sequence

__all__ = ["Crew"]

_MESSAGE_SECONDS = 0.005  # items that take longer go alone
_PATIENCE = 0.3  # seconds for an item that nobody wants any more; then its process is ended


class Crew:
    """The worker processes of a loader, and the memory that they share.

    Raises:
      QueueCompatTypeError: QC610, *call* cannot be pickled.
      QueueCompatRuntimeError: QC614, this process is itself one that is just being spawned.
    """

    patience = _PATIENCE

    def __init__(self, call: Call, seed: int, *, count: int, batch_size: int, made_at: str) -> None:
        self._call = call
        self._seed = seed
        self._batch_size = batch_size
        self._made_at = made_at
        _refuse_while_spawning()
        payload = _pickled(call)
        self._control = Segment(size=8 * (count + 1))
        self._numbers = self._control.numbers()
        self._numbers[:] = 0
        self._segments: Optional[Segments] = None
        self._lock = threading.Lock()  # of the segments and of the end
        self._members: List[_Member] = []
        self._is_closed = False
        try:
            for number in range(1, count + 1):
                self._members.append(_Member(payload, self._control.name, number))
        except BaseException:
            self.close()
            raise

    @property
    def is_whole(self) -> bool:
        """Whether all processes are there."""
        return all(member.process.is_alive() for member in self._members)

    def take(self, form: Form, rows: int) -> Block:
        """Memory for *rows* examples."""
        with self._lock:
            if self._segments is None:
                self._segments = Segments(form, self._batch_size, self._made_at)
            return self._segments.take(rows)

    def workers(self) -> List[Callable[[Pass], None]]:
        """A thread's work for each process, for one pass."""
        return [functools.partial(self._look_after, member) for member in self._members]

    def interrupt(self) -> None:
        """Items that no process has begun with are left out; what comes later belongs to the next pass."""
        with self._lock:
            if not self._is_closed:
                self._numbers[0] += 1

    def force(self, works: List[Work]) -> None:
        """Ends all processes at once, whatever they are at."""
        for member in self._members:
            member.process.kill()

    def close(self) -> None:
        """Ends all processes, and releases the memory. May be called twice."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            for member in self._members:
                member.connection.close()
            for member in self._members:
                member.end()
            if self._segments is not None:
                self._segments.close()
            self._control.unlink()
            # A failure's traceback may keep this crew for long; it must not keep the memory.
            self._members, self._segments = [], None
            del self._control, self._numbers

    # On the thread of one process.

    def _look_after(self, member: _Member, desk: Pass) -> None:
        turn = int(self._numbers[0])
        if not self._is_ready(member, desk):
            return
        task = desk.next_work()
        while task is not None:
            try:
                if isinstance(task, Batch):
                    desk.gather(task)
                elif task.place is None:
                    self._converse(member, desk, task, turn)
                else:
                    self._hand_over(member, desk, task, turn)
            except (EOFError, OSError):
                desk.break_now(self._death(member))
                return
            task = desk.next_work()

    def _is_ready(self, member: _Member, desk: Pass) -> bool:
        if not member.is_ready:
            try:
                answer = member.receive()
            except (EOFError, OSError):
                desk.break_now(load_error("QC615", self._made_at, how=member.how_it_ended()))
                return False
            if isinstance(answer, Unfit):
                cause = answer.failure.exception()
                desk.break_now(load_error("QC611", self._made_at, cause=cause, raised=answer.failure.line))
                return False
            member.is_ready = True
        return True

    def _hand_over(self, member: _Member, desk: Pass, first: Work, turn: int) -> None:
        """Loads *first*, and further items in messages of several, as long as there are some at once."""
        most = self._batch_size // (2 * len(self._members))
        works = [first, *desk.more_work(member.items_a_message(most) - 1)]
        alone = self._send(member, desk, works, turn)
        while member.group:
            # While the process is at these, the next ones are got ready.
            works = [] if alone or not member.is_fast else desk.more_work(member.items_a_message(most))
            group, done = member.group, member.done()
            member.group = []
            alone = alone or self._send(member, desk, works, turn)
            self._conclude(desk, group, done)
        if alone is not None:
            self._converse(member, desk, alone, turn)

    def _send(self, member: _Member, desk: Pass, works: List[Work], turn: int) -> Optional[Work]:
        """Sends those of *works* that have a place; gives the one that has none."""
        alone = works.pop() if works and works[-1].place is None else None
        if works:
            self._numbers[member.number] = 0
            member.group = works
            tasks = [Task(work.item, _place(work.place) if work.place else None) for work in works]
            member.send(Load(turn, self._seed, tasks), desk.form)
        return alone

    def _conclude(self, desk: Pass, works: List[Work], done: Done) -> None:
        """What became of items that had their places from the beginning."""
        written = []
        for work, outcome in zip(works, done.outcomes):
            if isinstance(outcome, Written) and work.place is not None:
                work.place.block.write_objects(work.place.row, outcome.objects)
                written.append(work)
            elif isinstance(outcome, Misfit):
                self._name(work)
                desk.fail(work, desk.misfit(work, outcome.form, several=outcome.several))
            elif isinstance(outcome, Failure):
                self._name(work)
                desk.fail(work, outcome.exception())
        desk.finish(written, with_examples=True)

    def _converse(self, member: _Member, desk: Pass, work: Work, turn: int) -> None:
        """Has *work* loaded, and gives a place to each example that is found, until all is done."""
        self._name(work)
        self._numbers[member.number] = 0
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
                desk.check(work, answer.form, answer.objects, several=answer.several)
                placed = desk.place(work)
                placed.block.write_objects(placed.row, answer.objects)
            except Exception as stop:
                problem = stop
            member.send(_place(placed) if placed else None, desk.form)
        outcome = answer.outcomes[0]
        if isinstance(outcome, Failure):
            desk.fail(work, outcome.exception())
        elif problem is None:
            desk.end(work)
        elif not isinstance(problem, NotWantedError):
            desk.fail(work, problem)

    def _name(self, work: Work) -> None:
        """Fetches what messages call the item, where that costs nothing."""
        if isinstance(self._call.source, (list, range, tuple)):
            work.value = self._call.source[work.item.index]

    def _death(self, member: _Member) -> LoadError:
        work = member.group[int(self._numbers[member.number])]
        self._name(work)
        return load_error("QC612", self._made_at, item=work.item, value=work.value, how=member.how_it_ended())


class _Member:
    """One process, and this end of its pipe."""

    def __init__(self, payload: bytes, control: str, number: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.number = number
        self.connection, theirs = context.Pipe()
        self.process = context.Process(
            target=child.main,
            args=(theirs, payload, control, number),
            name=f"queuecompat-loader-{number}",
            daemon=True,
        )
        self.is_ready = False
        self.group: List[Work] = []  # what it is at
        self._knows_form = False
        self._seconds = _MESSAGE_SECONDS  # an item, so far
        try:
            with _no_interrupts():
                self.process.start()
        finally:
            theirs.close()

    def send(self, message: object, form: Optional[Form]) -> None:
        """Sends *message*, after the *form* of examples as soon as that is known."""
        if form is not None and not self._knows_form:
            self.connection.send(Known(form))
            self._knows_form = True
        self.connection.send(message)

    def receive(self) -> Any:
        """The next answer; EOFError if the process has ended."""
        ready = multiprocessing.connection.wait([self.connection, self.process.sentinel])
        if self.connection not in ready:
            raise EOFError
        return self.connection.recv()

    def done(self) -> Done:
        """What became of the last message; learns from it how long items take."""
        done: Done = self.receive()
        self._seconds = (self._seconds + done.seconds / len(done.outcomes)) / 2
        return done

    @property
    def is_fast(self) -> bool:
        """Whether an item that is got ready for it does not wait for long. Others might be idle meanwhile."""
        return self._seconds < _MESSAGE_SECONDS

    def items_a_message(self, most: int) -> int:
        return max(1, min(most, int(_MESSAGE_SECONDS / max(self._seconds, 1e-9))))

    def how_it_ended(self) -> str:
        self.process.join(_PATIENCE)
        code = self.process.exitcode
        if code is not None and code < 0:
            return f"was killed by {signal.Signals(-code).name}"
        return f"ended with exit code {code}"

    def end(self) -> None:
        """Waits for the process, which has seen the end of its pipe, but not for long."""
        self.process.join(_PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.process.close()


def _place(example: Example) -> Place:
    name, offset = example.block.memory.place
    return Place(name, offset, example.block.rows, example.row)


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started here is deaf to Ctrl-C until it has said what it does about it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _pickled(call: Call) -> bytes:
    # Of a sequence a worker fetches its items itself; others are iterated over here.
    source = call.source if is_sequence(call.source) else None
    try:
        return pickle.dumps(dataclasses.replace(call, source=source))
    except Exception as problem:
        raise error(QueueCompatTypeError, "QC610", raised=last_line(problem)) from problem


def _refuse_while_spawning() -> None:
    # What multiprocessing itself looks at; its own message would be a RuntimeError of twenty lines.
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise error(QueueCompatRuntimeError, "QC614")
