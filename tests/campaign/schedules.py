"""Forced schedules of the loader and of the runtime: every interleaving of their threads, to some depth.

The loader: a consumer, two workers and, in one program, a thread that closes. The runtime: the threads that stand for
TensorFlow 1's, of two runners in one session, the program that steps, stops and closes, and data that end or fail.
The code of both is unchanged, but its locks are those of the schedule (``interleaving.py``).
"""

from __future__ import annotations

import contextlib
import random
from typing import Any, Callable, Dict, Iterator, List, Sequence, Set, Tuple

import pytest

from queuecompat import BackgroundLoader
from queuecompat.loader.run import epoch_run, lifecycle, patience, worker_threads
from queuecompat.loader.workers import thread_pool
from tests.campaign.interleaving import Schedule, all_schedules

__all__ = ["SUBJECTS", "VISITED", "walked"]

# The rows of the tables of states that were come to, by the name of the table.
VISITED: Dict[str, Set[Any]] = {"loader": set(), "runtime": set()}

Subject = Callable[[Schedule], None]


# -- the loader --------------------------------------------------------------------------------


class _PlannedError(Exception):
    pass


def _same(item: int) -> int:
    return item


def _fails_at_three(item: int) -> int:
    if item == 3:
        raise _PlannedError
    return item


def _several(item: int) -> Iterator[int]:
    yield item
    yield item + 10


def _source_that_fails() -> Iterator[int]:
    yield from range(3)
    raise _PlannedError


@contextlib.contextmanager
def _loader_on(schedule: Schedule) -> Iterator[None]:
    tell = lifecycle.Lifecycle.tell

    def noted(self: Any, event: Any) -> None:
        VISITED["loader"].add((self.state, event))
        tell(self, event)

    with pytest.MonkeyPatch.context() as patch:
        for module in (epoch_run, worker_threads):
            patch.setattr(module, "threading", schedule.threading)
        for module in (epoch_run, worker_threads, patience, thread_pool):
            patch.setattr(module, "time", schedule.time)
        patch.setattr(lifecycle.Lifecycle, "tell", noted)
        yield


def _loader(
    source: Any, load: Callable[[int], Any], want: List[List[int]], end: str = "", steps: int = 100, **kinds: Any
) -> Subject:
    """A loop over *source* that is to get the batches *want*, and then the error *end*; it takes *steps* at most."""

    def subject(schedule: Schedule) -> None:
        got: List[List[int]] = []
        ends: List[str] = []

        def loaded(item: int) -> Any:
            schedule.wait(lambda: True)  # loading takes its time
            return load(item)

        def consume() -> None:
            items = source() if callable(source) else source
            with BackgroundLoader(items, loaded, batch_size=2, num_workers=2, capacity=4, **kinds) as loader:
                try:
                    for _, batch in zip(range(steps), loader):
                        got.append(batch.tolist())
                except RuntimeError as error:
                    ends.append(getattr(error, "code", type(error).__name__))

        with _loader_on(schedule):
            schedule.add("consumer", consume)
            schedule.run()
        assert got == want, f"{got} and not {want}; {schedule}"
        assert ends == ([end] if end else []), f"{ends} and not {end!r}; {schedule}"

    return subject


def _closed_by_another(schedule: Schedule) -> None:
    whole = [[0, 1], [2, 3], [4, 5]]
    got: List[List[int]] = []
    ends: List[str] = []
    loader = BackgroundLoader(range(6), _same, batch_size=2, num_workers=2, capacity=4)

    def consume() -> None:
        try:
            for batch in loader:
                got.append(batch.tolist())
            ends.append("")
        except RuntimeError as error:
            ends.append(getattr(error, "code", type(error).__name__))

    with _loader_on(schedule):
        schedule.add("consumer", consume)
        schedule.add("closer", loader.close)
        schedule.run()
    assert got == whole[: len(got)], f"{got}; {schedule}"
    assert ends == ["QC602"] or (ends == [""] and got == whole), f"{ends} after {got}; {schedule}"


# -- the runtime -------------------------------------------------------------------------------


class _Session:
    """What a session is to its activities."""


def _runtime(names: Sequence[str], data: Sequence[str], ends: Sequence[str], drains: bool = True) -> Subject:
    """Runners of these *names* in one session: the *data* of the first end or fail; the program starts, and
    another of its threads stops or closes, at any time or after a *wait* for the data."""

    def subject(schedule: Schedule) -> None:
        from queuecompat._session.starting import activity
        from queuecompat._session.steps import coordinators, open_sessions, session_state, sessions

        ran: List[str] = []
        transitions = _NotedTransitions(activity.TRANSITIONS)
        with pytest.MonkeyPatch.context() as patch:
            for module in (activity, coordinators, open_sessions):
                patch.setattr(module, "threading", schedule.threading)
                patch.setattr(module, "_lock", schedule.threading.RLock())
            patch.setattr(session_state, "threading", schedule.threading)
            patch.setattr(activity, "TRANSITIONS", transitions)
            patch.setattr(sessions, "run_unattended", lambda session, ops, feed_dict: ran.extend(_flat(ops)))
            session = _Session()
            runners = [_activity(activity, session, name, drains) for name in names]
            state = open_sessions.state_of(session)

            def program() -> None:
                for one in runners:
                    one.transition("start")
                state.enter()
                state.leave()

            def ending() -> None:
                for end in ends:
                    if end == "wait":
                        with runners[0]._changed:
                            runners[0]._changed.wait_for(lambda: runners[0].state not in ("new", "running"))
                    elif end == "stop":
                        for one in runners:
                            one._stop()
                    else:
                        open_sessions.end(session)

            schedule.add("program", program)
            schedule.add("ending", ending)
            for name, one in zip(names, runners):
                schedule.add(f"enqueue {name}", one.wait_for_the_end)
                schedule.add(f"close {name}", one.close_on_stop)
            schedule.add("data", lambda: _happen_after_start(runners[0], data))
            schedule.run()
        closed = () if "close" in ends else names[1:] if "data end" in data else names
        _require_ended(dict(zip(names, runners)), ran, "close" in ends, closed, schedule)

    return subject


class _NotedTransitions(Dict[Tuple[str, str], str]):
    def get(self, row: Any, default: Any = None) -> Any:
        following = super().get(row, default)
        if following is not None:
            VISITED["runtime"].add(row)
        return following


def _activity(module: Any, session: Any, name: str, drains: bool) -> Any:
    ops = module.Ops([f"stop {name}"], [f"close {name}"], drains=drains, cancel=None)
    return module.Activity(session, lambda: ops)


def _happen_after_start(one: Any, events: Sequence[str]) -> None:
    with one._changed:
        one._changed.wait_for(lambda: one.state != "new")
    for event in events:
        one.transition(event)


def _flat(ops: Any) -> Iterator[str]:
    for op in ops:
        if isinstance(op, str):
            yield op
        else:
            yield from _flat(op)


def _require_ended(
    runners: Dict[str, Any], ran: Sequence[str], may_be_closed: bool, closed: Sequence[str], schedule: Schedule
) -> None:
    """Checks the ends of *runners*, and that the ops *ran* in their order, those of the *closed* in any case: a session
    that closes needs no ops, nor do data that have ended."""
    states = {one.state for one in runners.values()}
    assert states <= ({"stopped", "closed"} if may_be_closed else {"stopped"}), f"{states}; {schedule}"
    assert len(set(ran)) == len(ran), f"an op ran twice: {ran}; {schedule}"
    for name in runners:
        assert name not in closed or f"close {name}" in ran, f"{ran}; {schedule}"
        if f"close {name}" in ran:
            assert ran.index(f"stop {name}") < ran.index(f"close {name}"), f"{ran}; {schedule}"


def _of_runners(names: Sequence[str]) -> Dict[str, Subject]:
    return {
        "stop": _runtime(names, [], ["stop"]),
        "stop, and nothing drains": _runtime(names, [], ["stop"], drains=False),
        "data end": _runtime(names, ["data end"], ["stop"]),
        "failure": _runtime(names, ["failure", "data end"], ["wait", "stop"]),
        "close": _runtime(names, [], ["close"]),
        "data end, close": _runtime(names, ["data end"], ["close"]),
        "failure, close": _runtime(names, ["failure"], ["close"]),
        "failure after the end": _runtime(names, ["data end", "failure"], ["wait", "stop"]),
        "failure alone": _runtime(names, ["failure"], ["wait", "stop"]),
        "stop, close": _runtime(names, ["data end"], ["stop", "close"]),
        "stop after the end": _runtime(names, ["data end"], ["wait", "stop"]),
        "stop after a failure": _runtime(names, ["failure", "data end"], ["wait", "stop", "close"]),
        "failure, stop, close": _runtime(names, ["failure", "data end"], ["stop", "close"]),
    }


SUBJECTS: Dict[str, Dict[str, Subject]] = {
    "loader": {
        "whole": _loader(range(6), _same, [[0, 1], [2, 3], [4, 5]]),
        "left": _loader(range(8), _same, [[0, 1]], steps=1),
        "left at the end": _loader(range(3), _same, [[0, 1]], steps=1),
        "last fails": _loader(range(4), _fails_at_three, [[0, 1]], end="QC605"),
        "failing": _loader(range(6), _fails_at_three, [[0, 1]], end="QC605"),
        "skipping": _loader(range(6), _fails_at_three, [[0, 1], [2, 4], [5]], on_error="skip"),
        "source fails": _loader(_source_that_fails, _same, [[0, 1]], end="QC606"),
        "several examples": _loader(range(2), _several, [[0, 10], [1, 11]]),
        "closed by another": _closed_by_another,
    },
    "runtime": _of_runners(["first"]),
    "runtime of two": _of_runners(["first", "second"]),
}


def walked(subject: Subject, depth: int, seed: int = 0) -> int:
    """Runs *subject* on every schedule of *depth* choices, and after them in an order from *seed*; how many."""

    def run(choices: Sequence[int]) -> List[int]:
        chance = random.Random(f"{seed} {list(choices)}")
        # Without a seed, fairly.
        schedule = Schedule(
            [*choices, *([0] * (depth - len(choices))), *(chance.randrange(100) for _ in range(200))]
            if seed
            else choices
        )
        subject(schedule)
        return schedule.options

    return sum(1 for _ in all_schedules(run, depth))
