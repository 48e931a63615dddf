"""One worker process, and this end of its pipe.

Rule 1: every failure of the pipe raises ``ProcessEndedError``. Other errors are those of this process, and are never
        reported as the death of a worker.
Rule 2: the function and the source are sent through our own pipe, never as arguments of ``Process``: multiprocessing
        writes arguments while it holds the reading end itself, so it would wait forever if the process were killed
        meanwhile.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import time
import weakref
from typing import Any, Iterator, List, Optional, Set

from queuecompat.loader.memory.structures import ExampleSpec
from queuecompat.loader.run.work import Work
from queuecompat.loader.workers import worker_main
from queuecompat.loader.workers.messages import Changed, Done, Known

__all__ = ["ProcessEndedError", "WorkerProcess"]

_MESSAGE_SECONDS = 0.005  # the expected duration of a message's items; items that take longer are sent one by one
_EXIT_SECONDS = 0.3  # the time for a process to end after its pipe is closed; then it is killed
_KILL_SECONDS = 5.0  # the time to wait for a killed process, which may be inside a system call that nothing interrupts


class ProcessEndedError(Exception):
    """The process at the other end of the pipe is gone."""


class WorkerProcess:
    """A process that runs ``worker_main.main``; the constructor starts it.

    Attributes:
      group: the items that it was sent and has not answered.
      waiting: the items that are claimed for it and not sent yet.
      is_ready: whether it has answered ``Ready``.
      version: the number of the payload (pickled function and source) that it was sent last.
      connection: this end of the pipe.
      handle: the ``multiprocessing`` process.
    """

    def __init__(self, control: str, number: int) -> None:
        self.number = number
        self.group: List[Work] = []
        self.waiting: List[Work] = []
        self._control = control
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.handle = context.Process(
            target=worker_main.main,
            args=(theirs, self._control, self.number),
            name=f"queuecompat-loader-{self.number}",
            daemon=True,
        )
        self.is_ready = False
        self.version = 0
        self._knows_spec = False
        self._seconds = _MESSAGE_SECONDS  # per item: a moving average
        _running.add(self)
        try:
            with _no_interrupts():
                self.handle.start()
        except BaseException:
            self.connection.close()
            raise
        finally:
            theirs.close()

    def replace(self) -> None:
        """Starts a new process in the place of this one, which has ended."""
        self.hang_up()
        self.end(time.monotonic())
        self._start()

    def send_payload(self, payload: bytes, version: int) -> None:
        """Sends the pickled function and source; the answer to the first is ``Ready`` or ``Unfit``."""
        with _as_process_ended():
            if self.is_ready:
                self.connection.send_bytes(pickle.dumps(Changed()))
            self.connection.send_bytes(payload)
        self.version = version

    def send(self, message: object, spec: Optional[ExampleSpec]) -> None:
        """Sends *message*; before it ``Known(spec)``, if *spec* is known now and was not sent yet."""
        if spec is not None and not self._knows_spec:
            self._send(Known(spec))
            self._knows_spec = True
        self._send(message)

    def _send(self, message: object) -> None:
        data = pickle.dumps(message)  # outside of the ``with``: a failure to pickle is not the end of the process
        with _as_process_ended():
            self.connection.send_bytes(data)

    def receive(self) -> Any:
        """Waits for the next answer, and returns it.

        Raises:
          ProcessEndedError: the process ended without answering.
        """
        with _as_process_ended():
            ready = multiprocessing.connection.wait([self.connection, self.handle.sentinel])
            if self.connection not in ready:
                raise EOFError
            data = self.connection.recv_bytes()
        return pickle.loads(data)

    def done(self) -> Done:
        """Waits for the outcomes of the last message; updates the seconds per item."""
        done: Done = self.receive()
        self._seconds = (self._seconds + done.seconds / len(done.outcomes)) / 2
        return done

    @property
    def is_fast(self) -> bool:
        """Whether items take so little time that further ones may be claimed for this process while it is busy. If they
        take longer, another process may be idle, and could load them sooner."""
        return self._seconds < _MESSAGE_SECONDS

    def items_a_message(self, most: int) -> int:
        return max(1, min(most, int(_MESSAGE_SECONDS / max(self._seconds, 1e-9))))

    def how_it_ended(self) -> str:
        self.handle.join(_EXIT_SECONDS)
        code = self.handle.exitcode
        if code is None:
            return "closed its connection"
        if code < 0:
            return f"was killed by {_signal_name(-code)}"
        return f"ended with exit code {code}"

    def kill(self) -> None:
        self.handle.kill()

    def hang_up(self) -> None:
        """Closes the pipe, which ends a process that is idle."""
        self.connection.close()

    def end(self, deadline: float) -> None:
        """Waits until *deadline* (``time.monotonic``) for a process whose pipe was closed, and then kills it."""
        self.handle.join(max(0.0, deadline - time.monotonic()))
        if self.handle.is_alive():
            self.handle.kill()
            self.handle.join(_KILL_SECONDS)
        if not self.handle.is_alive():
            self.handle.close()

    @staticmethod
    def exit_deadline() -> float:
        """Returns the deadline (``time.monotonic``) for processes whose pipes are closed now to end by themselves."""
        return time.monotonic() + _EXIT_SECONDS


_running: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()


def _forget_in_fork() -> None:
    """Runs in a forked child, and makes it forget the workers, which are its parent's: at the child's exit,
    multiprocessing would kill them, and fail when it joins them."""
    children: Set[Any] = getattr(multiprocessing.process, "_children", set())
    for one in list(_running):
        children.discard(one.handle)
        # As long as this process had their pipes open, the workers would not notice that their parent was killed.
        one.hang_up()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_fork)


@contextlib.contextmanager
def _as_process_ended() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as problem:
        raise ProcessEndedError from problem


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"  # a real-time signal


@contextlib.contextmanager
def _no_interrupts() -> Iterator[None]:
    """Blocks SIGINT in this thread. A process that is started meanwhile inherits that, so Ctrl-C cannot interrupt it
    before ``worker_main.main`` makes it ignore SIGINT."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
