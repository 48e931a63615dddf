"""Finds out, from inside a runner's ``create_threads``, which call of the program is starting the queue runners.

TensorFlow's functions that start several runners ask each of them for its threads, one after the other; a runner is not
told what else is started. ``start_queue_runners``, which ``MonitoredSession`` and everything built on it use as well,
and ``Supervisor.start_queue_runners`` are recognised by their stack frames, from wherever a program imported them. In
any other call, such as the program's own loop over the runners, each runner is started alone.
"""

from __future__ import annotations

import inspect
import sys
import types
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from queuecompat._native.originals import TRAIN

__all__ = ["StartingCall", "starting_call"]

# The number of stack frames to look at: those of this package and of runners that may lie between.
_NEAR = 8


class StartingCall(NamedTuple):
    """A call that starts *runners*; their threads follow *coordinator*, if it is not None."""

    runners: List[Any]
    coordinator: Any


def starting_call() -> Optional[StartingCall]:
    """The call in this thread that is starting queue runners; None if they are started one by one, or later."""
    frame: Optional[types.FrameType] = sys._getframe(1)
    for _ in range(_NEAR):
        if frame is None:
            break
        if frame.f_code in _READ:
            return _READ[frame.f_code](frame.f_locals)
        frame = frame.f_back
    return None


def _of_function(given: Mapping[str, Any]) -> Optional[StartingCall]:
    if not given["start"]:
        return None
    return StartingCall(given["sess"].graph.get_collection(given["collection"]), given["coord"])


def _of_supervisor(given: Mapping[str, Any]) -> StartingCall:
    return StartingCall(list(given["queue_runners"]), given["self"].coord)


def _code_of(function: Callable[..., Any]) -> types.CodeType:
    code: types.CodeType = inspect.unwrap(function).__code__
    return code


_READ: Dict[types.CodeType, Callable[[Mapping[str, Any]], Optional[StartingCall]]] = {
    _code_of(TRAIN["start_queue_runners"]): _of_function,
    _code_of(TRAIN["Supervisor"].start_queue_runners): _of_supervisor,
}
