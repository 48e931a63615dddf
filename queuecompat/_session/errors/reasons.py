"""Finds out why the program's ops fail on an element: runs them once more, in the session, in the program's own graph.

The ops are still in the graph, with the variables, tables and Python functions that they use, and the tensors that they
take from a stage can be fed. So nothing is added to the graph, which may be finalised.
"""

from __future__ import annotations

import functools
from typing import Any, Sequence

import tensorflow as tf

from queuecompat._analysis.slicing import Slice
from queuecompat._plan.skipped import SkipLog
from queuecompat._session.steps import failures, open_sessions, sessions

__all__ = ["listen_for_skips", "run_alone"]


def listen_for_skips(session: tf.compat.v1.Session, logs: Sequence[SkipLog]) -> None:
    """Lets *logs*, of elements that were skipped, look up the reasons by running the program's ops in *session*.

    Before the session is closed, each log looks up the reasons that it still lacks.
    """
    for log in logs:
        log.run_again_with(id(session), functools.partial(_run_again, session))
    if logs:
        open_sessions.before_close(session, functools.partial(_end, logs))


def _end(logs: Sequence[SkipLog], session: tf.compat.v1.Session) -> None:
    for log in logs:
        log.ends(id(session))


def _run_again(session: tf.compat.v1.Session, run: Any, given: Sequence[Any]) -> None:
    try:
        run_alone(session, run.body, [given[number] for number in range(len(run.uses))])
    except tf.errors.OpError as error:
        raise RuntimeError(failures.cause(error)) from None


def run_alone(session: tf.compat.v1.Session, body: Any, values: Sequence[Any]) -> Sequence[Any]:
    """The outputs of the slice *body* for *values*, one for each of its sources, in the order of the sources.

    Raises:
      tf.errors.OpError: the error of the op that fails.
    """
    assert isinstance(body, Slice)
    fetches, fed = list(body.outputs), dict(zip(body.sources, values))
    if body.outputs[0].graph is session.graph:
        return list(sessions.run_unattended(session, fetches, feed_dict=fed))
    # The body of a whole-file reader is in a graph of its own.
    with tf.compat.v1.Session(graph=body.outputs[0].graph) as other:
        return list(other.run(fetches, feed_dict=fed))
