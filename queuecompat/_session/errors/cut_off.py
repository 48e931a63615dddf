"""Recognises pipelines that were ended by a cancelled step, and not by the end of their data.

When a step fails, or its time is up, TensorFlow cancels all its ops. TensorFlow's own queues survive this. A tf.data
iterator that is cancelled while it computes does not: it reports the end of the data, or a cancellation, to every later
step. So the draws that such a step may have interrupted are noted, and what one of them reports next is not believed.
A later step that does get an element clears the note.
"""

from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from queuecompat._session.steps import failures, open_sessions
from queuecompat._session.steps.fetches import Draws, ops_required_by

__all__ = ["REPORTED", "cause", "delivered", "failed"]

# What an iterator that was cut off reports.
REPORTED = (tf.errors.OutOfRangeError, tf.errors.CancelledError)


def failed(
    session: tf.compat.v1.Session, fetches: Any, error: tf.errors.OpError, draws: Draws, own: Optional[str]
) -> None:
    """Notes which draws may have been cut off by a step that ran *fetches* and ended with *error*.

    Args:
      draws: of the session's graph.
      own: the draw that failed itself, if one did: it was not cut off, and its pipeline goes on.
    """
    # These end all pipelines of the step together; no pipeline is expected to go on after one.
    running = frozenset() if isinstance(error, failures.ENDS) else draws.required_by(fetches).draws
    if not running:
        return
    # The ops that the failed op depends on had finished by then.
    before = ops_required_by(session.graph, error.op) if error.op is not None else set()
    words = f"{type(error).__name__}: {failures.cause(error)}"
    open_sessions.state_of(session).cut_off.update((name, words) for name in running - before - {own})


def delivered(session: tf.compat.v1.Session, fetches: Any, draws: Draws) -> None:
    """Clears the notes about the pipelines that *fetches* draw from: the step succeeded, so none was cut off."""
    cut_off = open_sessions.state_of(session).cut_off
    for name in draws.required_by(fetches).draws:
        cut_off.pop(name, None)


def cause(session: tf.compat.v1.Session, draw: str) -> Optional[str]:
    """The error that may have cut off the pipeline of *draw*, which reports one of ``REPORTED``; None if none did."""
    words: Optional[str] = open_sessions.state_of(session).cut_off.get(draw)
    return words
