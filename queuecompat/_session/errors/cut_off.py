"""Pipelines that a step of the program has cut off.

A step that fails, or whose time is up, is cancelled with all its ops. TensorFlow's own queue goes on after that. An
iterator of tf.data that is cancelled while it computes does not: to every later step it says that the data have ended.
So the first end after such a step is not believed, and a step in between that got an element makes up for it.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import tensorflow as tf

from queuecompat._session.steps import failures, sessions
from queuecompat._session.steps.fetches import Draws, ops_behind

__all__ = ["cause", "delivered", "failed"]

# What ends a step for all pipelines together; nothing goes on after it.
_ENDS = (tf.errors.OutOfRangeError, tf.errors.CancelledError, tf.errors.AbortedError)


def failed(
    session: tf.compat.v1.Session, fetches: Any, error: tf.errors.OpError, draws: Draws, own: Optional[str]
) -> None:
    """A step that ran *fetches* has ended with *error*: the draws that it may have cut off are noted.

    Args:
      draws: of the session's graph.
      own: the draw that failed itself, if one did: it was not cut off, and its pipeline goes on.
    """
    running = frozenset() if isinstance(error, _ENDS) else draws.behind(fetches).draws
    if not running:
        return
    # What the op that failed had to wait for was there by then.
    before = ops_behind(session.graph, error.op) if error.op is not None else set()
    words = f"{type(error).__name__}: {failures.cause(error)}"
    sessions.state_of(session).cut_off.update((name, words) for name in running - before - {own})


def delivered(session: tf.compat.v1.Session, fetches: Any, draws: Draws) -> None:
    """A step that ran *fetches* got what it asked for: none of its pipelines had been cut off."""
    cut_off = sessions.state_of(session).cut_off
    for name in draws.behind(fetches).draws:
        cut_off.pop(name, None)


def cause(session: tf.compat.v1.Session, draw: str, is_running: Callable[[], bool]) -> Optional[str]:
    """What the step failed with that has cut off the pipeline of *draw*, which says that it has ended; None: it has.

    Args:
      is_running: whether nothing else has stopped it.
    """
    words: Optional[str] = sessions.state_of(session).cut_off.get(draw)
    return words if words is not None and is_running() else None
