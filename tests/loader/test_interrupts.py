"""An interrupt at any line of the loader, in the thread of the loop: no hang, no thread that stays, nothing lost."""

from __future__ import annotations

import linecache
import os
import sys
import threading
from types import FrameType
from typing import Any, Callable, List, Optional

import pytest

import queuecompat.loader
from queuecompat import BackgroundLoader
from tests.loader.sources import LONG, lists

pytestmark = pytest.mark.timeout(240)

LOADER = os.path.dirname(queuecompat.loader.__file__)


def interrupted_at(number: int, work: Callable[[], Any]) -> bool:
    """Calls *work* with an interrupt at the *number*-th line of the loader that it comes to; whether it came so far.

    The way back to a ``with``, when its block has ended, is no such line: a trace function that raises there keeps the
    lock from being released, and no program can prevent that.
    """
    seen = 0

    def trace_call(frame: FrameType, event: str, argument: Any) -> Optional[Callable[..., Any]]:
        if not frame.f_code.co_filename.startswith(LOADER):
            return None
        line_before = 0

        def trace_line(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal seen, line_before
            if event == "line":
                leaves_with = frame.f_lineno < line_before and _is_with(frame)
                line_before = frame.f_lineno
                if leaves_with:
                    return trace_line
                seen += 1
                if seen == number:
                    sys.settrace(None)
                    raise KeyboardInterrupt
            return trace_line

        return trace_line

    before = sys.gettrace()
    sys.settrace(trace_call)
    try:
        work()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def _is_with(frame: FrameType) -> bool:
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno).lstrip().startswith("with ")


def test_an_interrupt_may_come_at_any_line() -> None:
    """Each of the lines of a life, from making the loader to leaving its block."""
    outside = set(threading.enumerate())
    whole = lists(BackgroundLoader(range(7), batch_size=2, shuffle=True, seed=3, num_workers=2))
    number, was_interrupted = 1, True
    while was_interrupted:
        loaders: List[BackgroundLoader] = []

        def live(loaders: List[BackgroundLoader] = loaders) -> None:
            loaders.append(BackgroundLoader(range(7), batch_size=2, shuffle=True, seed=3, num_workers=2))
            with loaders[0] as loader:
                assert lists(loader) == whole

        was_interrupted = interrupted_at(number, live)
        for loader in loaders:
            loader.close()
        for thread in set(threading.enumerate()) - outside:
            thread.join(LONG)
            assert not thread.is_alive(), number
        number += 1
    assert number > 300


def test_a_loop_that_was_interrupted_at_any_line_is_resumed_with_what_was_not_returned() -> None:
    kinds: Any = {"batch_size": 2, "shuffle": True, "seed": 3, "num_workers": 1}
    whole = lists(BackgroundLoader(range(9), **kinds))
    number, was_interrupted = 1, True
    while was_interrupted:
        loader = BackgroundLoader(range(9), **kinds)
        got: List[Any] = []

        def loop(loader: BackgroundLoader = loader, got: List[Any] = got) -> None:
            for batch in loader:
                got.append(batch.tolist())

        was_interrupted = interrupted_at(number, loop)
        if was_interrupted and len(got) < len(whole):
            state = loader.state_dict()
            loader.close()
            resumed = BackgroundLoader(range(9), **kinds)
            resumed.load_state_dict(state)
            # At the last line of a call the position has moved, and its batch has not come to the loop.
            assert lists(resumed) in (whole[len(got) :], whole[len(got) + 1 :]), number
        number += 23
    assert number > 200
