"""Why a slice fails on an element: it is run once more, in the session, on the ops of the program's own graph.

Those ops are where the program built them, with its variables, tables and Python functions, and the tensors that the
slice takes from a stage can be fed. So nothing is added to the graph for it, which may be finalised.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence

import tensorflow as tf

from queuecompat._analysis.slicing import Slice
from queuecompat._plan.skipped import SkipLog
from queuecompat._session.steps import failures, sessions

__all__ = ["listen_for_skips", "run_alone"]


def listen_for_skips(session: tf.compat.v1.Session, logs: Sequence[SkipLog]) -> None:
    """*logs* find their reasons in *session*, at the latest before it is closed."""
    for log in logs:
        log.can_run(id(session), functools.partial(_run_again, session))
    if logs:
        sessions.before_close(session, functools.partial(_end, logs))


def _end(logs: Sequence[SkipLog], session: tf.compat.v1.Session) -> None:
    for log in logs:
        log.ends(id(session))


def _run_again(session: tf.compat.v1.Session, run: Any, given: Sequence[Any]) -> None:
    try:
        run_alone(session, run.body, [given[number] for number in range(len(run.uses))])
    except tf.errors.OpError as error:
        raise RuntimeError(failures.cause(error)) from None


def run_alone(session: tf.compat.v1.Session, body: Any, values: Sequence[Any]) -> Sequence[Any]:
    """What the slice *body* returns for *values*, of its sources, in their order.

    Raises:
      tf.errors.OpError: what it fails with.
    """
    assert isinstance(body, Slice)
    fetches, fed = list(body.outputs), dict(zip(body.sources, values))
    if body.outputs[0].graph is session.graph:
        return list(sessions.run_unattended(session, fetches, feed_dict=fed))
    # What a reader does with a whole file is in a graph of its own.
    with tf.compat.v1.Session(graph=body.outputs[0].graph) as other:
        return list(other.run(fetches, feed_dict=fed))
