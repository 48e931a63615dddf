"""Runs threads one at a time, in an order that the test decides: every interleaving, to some depth.

Code under test gets ``Schedule.threading`` in place of the module ``threading``. A thread stops before it takes a lock,
where it waits, and where it ends; the schedule then decides which thread goes on. Between two such points nothing can
interfere, so these are all possible orders, as long as locks guard what threads share.

Rule 1: a schedule is a list of numbers, one for each point at which more than one thread can go on. After its last
        number, the thread that has waited longest goes on.
Rule 2: a deadlock is an error that names the places, so a test of this kind never hangs.
Rule 3: time hardly advances: ``Schedule.time`` counts how often it was asked. A wait with a limit expires only when no
        thread can go on, and one of ``PATIENT`` seconds or more never expires.
"""

from __future__ import annotations

import sys
import threading
import traceback
import types
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

__all__ = ["PATIENT", "Schedule", "all_schedules"]

PATIENT = 4.0  # seconds
_TICK = 0.0001  # seconds
# For a thread to come to its next stop; it only computes.
_STUCK_SECONDS = 60
_MOST_STEPS = 20_000


class _GivenUpError(BaseException):
    """Raised in the threads of a schedule that has failed, to end them."""


class _Actor:
    """One thread; stands in for ``threading.Thread`` in the code under test."""

    def __init__(
        self, schedule: Schedule, target: Callable[..., None], args: Sequence[Any] = (), name: str = ""
    ) -> None:
        self._schedule = schedule
        self._work = target, args
        self.name = name
        self.has_ended = False
        self.waits_for: Optional[Callable[[], bool]] = None
        self.limit: Optional[float] = None
        self.is_late = False
        self.failure: Optional[BaseException] = None
        self.go = threading.Semaphore(0)
        self.thread = threading.Thread(target=self._run, name=f"scheduled {name}", daemon=True)

    def start(self) -> None:
        self._schedule.begin(self)

    def join(self, timeout: Optional[float] = None) -> None:
        self._schedule.wait(lambda: self.has_ended, timeout)

    def is_alive(self) -> bool:
        return not self.has_ended

    @property
    def can_go_on(self) -> bool:
        return not self.has_ended and (self.waits_for is None or self.waits_for())

    def _run(self) -> None:
        self.go.acquire()
        target, args = self._work
        try:
            if not self._schedule.has_failed:
                target(*args)
        except _GivenUpError:
            pass
        except BaseException as failure:
            self.failure = failure
        finally:
            self.has_ended = True
            self._schedule.back.release()


class _Lock:
    """A reentrant lock, also as a context manager."""

    def __init__(self, schedule: Schedule) -> None:
        self._schedule = schedule
        self._owner: Any = None
        self._depth = 0

    def acquire(self) -> bool:
        actor = self._schedule.current
        if self._owner is not actor or not self._depth:
            self._schedule.wait(lambda: not self._depth)
            self._owner = actor
        self._depth += 1
        return True

    def release(self) -> None:
        if self._owner is not self._schedule.current or not self._depth:
            raise RuntimeError("cannot release a lock that this thread does not have")
        self._depth -= 1

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def released(self) -> int:
        """Releases it altogether; returns how often it was taken."""
        depth, self._depth = self._depth, 0
        return depth

    def take_again(self, depth: int) -> None:
        self._schedule.wait(lambda: not self._depth)
        self._owner, self._depth = self._schedule.current, depth


class _Condition:
    def __init__(self, schedule: Schedule, lock: Optional[_Lock] = None) -> None:
        self._schedule = schedule
        self._lock = lock or _Lock(schedule)
        self._notified = 0

    def __enter__(self) -> bool:
        return self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def wait(self, timeout: Optional[float] = None) -> bool:
        seen, depth = self._notified, self._lock.released()
        has_come = self._schedule.wait(lambda: self._notified != seen, timeout)
        self._lock.take_again(depth)
        return has_come

    def wait_for(self, predicate: Callable[[], Any], timeout: Optional[float] = None) -> Any:
        while not predicate():
            if not self.wait(timeout):
                return predicate()
        return True

    def notify_all(self) -> None:
        self._notified += 1

    def notify(self) -> None:
        # All that wait look again, which a condition allows them to.
        self._notified += 1


class Schedule:
    """One run of some threads.

    Args:
      choices: which of the threads that can go on does, at each point where there are several.
    Attributes:
      options: how many there were, at each such point.
      threading, time: in place of the modules.
    """

    def __init__(self, choices: Sequence[int]) -> None:
        self._choices = list(choices)
        self.options: List[int] = []
        self.back = threading.Semaphore(0)
        self.current: Optional[_Actor] = None
        self.has_failed = False
        self._actors: List[_Actor] = []  # the one that has waited longest first
        self._ticks = 0
        self.threading: Any = types.SimpleNamespace(
            Thread=self._thread,
            Lock=lambda: _Lock(self),
            RLock=lambda: _Lock(self),
            Condition=lambda lock=None: _Condition(self, lock),
            current_thread=lambda: self.current or threading.current_thread(),
            get_ident=lambda: id(self.current),
        )
        self.time: Any = types.SimpleNamespace(perf_counter=self._now, monotonic=self._now)

    def add(self, name: str, work: Callable[[], None]) -> None:
        """*work* is a thread from the beginning."""
        self.begin(_Actor(self, work, name=name))

    def run(self) -> None:
        """Runs all threads to their ends.

        Raises:
          AssertionError: they wait for each other, or one has raised something.
        """
        try:
            for _ in range(_MOST_STEPS):
                actor = self._next()
                if actor is None:
                    break
                self._resume(actor)
                if actor.failure is not None:
                    raise AssertionError(f"'{actor.name}' failed; {self}") from actor.failure
            else:
                raise AssertionError(f"no end after {_MOST_STEPS} steps; {self}")
        finally:
            self._end()

    def __str__(self) -> str:
        return f"schedule {self._choices}"

    def begin(self, actor: _Actor) -> None:
        actor.thread.start()
        self._actors.append(actor)

    def wait(self, until: Callable[[], bool], timeout: Optional[float] = None) -> bool:
        """Called by a thread of the code: others may go on, and it goes on when *until* holds; False: out of time."""
        actor = self.current
        if actor is None:  # before the schedule begins, or after it has ended
            return until()
        actor.waits_for, actor.limit, actor.is_late = until, timeout, False
        self.back.release()
        actor.go.acquire()
        if self.has_failed:
            raise _GivenUpError
        actor.waits_for = actor.limit = None
        return not actor.is_late

    def _next(self) -> Optional[_Actor]:
        able = [actor for actor in self._actors if actor.can_go_on]
        if not able:
            alive = [actor for actor in self._actors if not actor.has_ended]
            impatient = [actor for actor in alive if actor.limit is not None and actor.limit < PATIENT]
            if alive and not impatient:
                raise AssertionError(f"all wait for each other; {self}\n{self._stacks(alive)}")
            for actor in impatient[:1]:
                actor.is_late = True
            able = impatient[:1]
        number = 0
        if len(able) > 1:
            place = len(self.options)
            number = self._choices[place] % len(able) if place < len(self._choices) else 0
            self.options.append(len(able))
        return able[number] if able else None

    def _resume(self, actor: _Actor) -> None:
        self._actors.remove(actor)
        self._actors.append(actor)
        self.current = actor
        actor.go.release()
        has_stopped = self.back.acquire(timeout=_STUCK_SECONDS)
        self.current = None
        assert has_stopped, f"'{actor.name}' does not come to a point where it can be stopped; {self}"

    def _end(self) -> None:
        self.has_failed = True
        for actor in self._actors:
            while not actor.has_ended:  # what it does on its way out may stop again
                self.current = actor
                actor.go.release()
                self.back.acquire()
            actor.thread.join()
        self.current = None

    def _stacks(self, actors: Sequence[_Actor]) -> str:
        frames = sys._current_frames()
        stacks: Dict[str, Any] = {actor.name: frames.get(actor.thread.ident or 0) for actor in actors}
        return "\n".join(f"{name}:\n{''.join(traceback.format_stack(frame)[-6:])}" for name, frame in stacks.items())

    def _thread(
        self, target: Callable[..., None], args: Sequence[Any] = (), name: str = "", daemon: bool = True
    ) -> _Actor:
        return _Actor(self, target, args, name)

    def _now(self) -> float:
        self._ticks += 1
        return self._ticks * _TICK


def all_schedules(run: Callable[[Sequence[int]], Sequence[int]], depth: int) -> Iterator[List[int]]:
    """Calls *run*, which returns ``Schedule.options``, with every schedule of *depth* choices; yields each."""
    following: Optional[List[int]] = []
    while following is not None:
        options = list(run(following))[:depth]
        taken = [*following, *[0] * (len(options) - len(following))][: len(options)]
        yield taken
        while taken and taken[-1] + 1 >= options[len(taken) - 1]:
            taken.pop()
        following = [*taken[:-1], taken[-1] + 1] if taken else None
