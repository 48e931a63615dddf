"""Replaces TensorFlow's error of a failed step by one that says which pipeline failed and where it was made."""

from __future__ import annotations

import contextlib
import functools
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import tensorflow as tf

from queuecompat._analysis.matched_files import unmatched
from queuecompat._analysis.origins import users_name, users_op
from queuecompat._plan import ir
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage, plan_of
from queuecompat._session.errors import cut_off
from queuecompat._session.errors.locating import place_of
from queuecompat._session.errors.reasons import run_alone
from queuecompat._session.graph_ops.gates import says_shut
from queuecompat._session.starting.controls import runner_of
from queuecompat._session.starting.imported import end_imported
from queuecompat._session.starting.runners import PipelineRunner
from queuecompat._session.steps import failures
from queuecompat._session.steps.fetches import Draws
from queuecompat._session.streams.throughput import Throughput
from queuecompat.errors import layout, line_of

__all__ = ["Explainer", "runners_upstream"]

# The op that raises this was added by the compiler: it checks what ``set_shape`` only declared.
_OF_A_SHAPE = re.compile(r"Shape of tensor (\S+) \[")


class Explainer:
    """Explains the errors of one graph's pipelines, and reports them to the pipelines' runners.

    Attributes:
      draws: the ops that were registered by ``add_draw``.
    """

    def __init__(self, pipelines: Pipelines) -> None:
        self._pipelines = pipelines
        self._draws: Dict[str, Tuple[Stage, int, Optional[Throughput]]] = {}
        self.draws = Draws(pipelines.graph, self._draws)
        self._places: Dict[Tuple[str, str], Optional[str]] = {}

    def add_draw(self, scope: str, stage: Stage, size: int, throughput: Optional[Throughput] = None) -> None:
        """Registers the ops below *scope* as a draw from *stage*, which asks TF1's queue for *size* elements at once.

        *throughput*, if given, is told of the end of the data.
        """
        self._draws[scope] = stage, size, throughput

    def stage_of(self, draw: str) -> Stage:
        """The stage that the op called *draw* takes elements from."""
        return self._draws[draw][0]

    def explained(self, session: tf.compat.v1.Session, error: tf.errors.OpError, fetches: Any) -> BaseException:
        """The error that a step of *session* which ran *fetches* raises in place of *error*.

        Also reports the failure, or the end of the data, to the runner of the pipeline.
        """
        graph = self._pipelines.graph
        scope = self._failed(failures.chain(error))
        cut_off.failed(session, fetches, error, self.draws, scope)
        if failures.is_of_ours(error):
            return failures.explained(error, failures.cause(error))
        if scope is None:
            end_imported(graph, session, error)
            return error
        stage, size, throughput = self._draws[scope]
        runner = runner_of(stage)
        is_end = isinstance(error, tf.errors.OutOfRangeError) or says_shut(error.message)
        cause = cut_off.cause(session, scope) if isinstance(error, cut_off.REPORTED) else None
        if cause is not None and runner.is_running_in(session):
            return self._cut_off(session, stage, cause, error)
        if is_end or cause is not None:
            # Not where the program stopped the pipeline: there it was not the data that ended.
            if throughput is not None and runner.is_running_in(session):
                throughput.ended(session)
            for one in runners_upstream(stage):
                one.ended(session)
            return failures.exhausted(runner.names.exhausted(size, 0), graph.get_operation_by_name(scope))
        lines = [failures.cause(error)]
        op = self._raised_by(error)
        if op is None or op.name == scope:
            op = self._of_other_shape(lines[0]) or op
        if op is not None and op.name != scope:
            lines.append(f"  op:        '{op.name}', made at {line_of(op)}")
        lines += unmatched(lines[0], op)
        lines.append(f"  pipeline:  '{stage.name}', made at {stage.made_at}")
        if not isinstance(error, (tf.errors.CancelledError, tf.errors.AbortedError)):
            place = self._place(session, stage, lines[0])
            lines += [f"  record:    {place}"] if place else []
        words = failures.explained(error, "\n".join(lines))
        if not isinstance(error, tf.errors.CancelledError):
            for one in _failed(stage, op):
                one.failed(session, words)
        return words

    def _cut_off(
        self, session: tf.compat.v1.Session, stage: Stage, cause: str, error: tf.errors.OpError
    ) -> tf.errors.OpError:
        text = layout("QC312", stage.made_at, stage=stage.name, cause=cause)
        words = failures.explained(tf.errors.AbortedError(error.node_def, error.op, text), text)
        runner_of(stage).failed(session, words)
        return words

    def _place(self, session: tf.compat.v1.Session, stage: Stage, cause: str) -> Optional[str]:
        """The record that the error is about; looked up once per error, as several threads may report it."""
        key = stage.key, cause
        if key not in self._places:
            self._places[key] = place_of(
                plan_of(stage, is_preview=True).steps, cause, functools.partial(run_alone, session)
            )
        return self._places[key]

    def _raised_by(self, error: tf.errors.OpError) -> Optional[tf.Operation]:
        """The op of the user's graph that raised *error*, directly or through an op of its batched form."""
        if error.op is not None:
            return error.op
        # The error of a callable does not name its op.
        return users_op(self._pipelines.graph, failures.chain(error))

    def _of_other_shape(self, cause: str) -> Optional[tf.Operation]:
        """The op of the user's graph whose output has not the shape that ``set_shape`` declared, if that is *cause*."""
        named = _OF_A_SHAPE.match(cause)
        with contextlib.suppress(KeyError):
            return None if named is None else self._pipelines.graph.get_operation_by_name(users_name(named.group(1)))
        return None

    def _failed(self, names: Sequence[str]) -> Optional[str]:
        """The scope of the draw that contains the first op in *names* that is part of any draw; None if none is."""
        for name in map(self._pipelines.guarded, names):
            scopes = [scope for scope in self._draws if f"{name}/".startswith(f"{scope}/")]
            if scopes:
                return max(scopes, key=len)
        return None


def _failed(stage: Stage, op: Optional[tf.Operation]) -> List[PipelineRunner]:
    """The runners to which TF1 reported an error of *op* in a draw from *stage*.

    They are that of *stage*, whose draw fails, and that of the stage upstream of it whose thread ran *op*. A runner of
    the program's own may take the error for the end of its data; the other one may not.
    """
    runners = [runner_of(stage)]
    for upstream in stage.upstream:
        if op is not None and upstream.has_control:
            own = [runner_of(upstream)] if _runs(upstream, op) else _failed(upstream, op)[1:]
            runners += own
    return list(dict.fromkeys(runners))


def _runs(stage: Stage, op: tf.Operation) -> bool:
    steps = (*stage.steps, *(step for branch in stage.inputs for step in branch.steps))
    return any(op.name in step.body.op_names for step in steps if isinstance(step, ir.Run))


def runners_upstream(stage: Stage) -> List[PipelineRunner]:
    """The runners of *stage* and of the stages upstream of it that have no other consumer."""
    runners = [runner_of(stage)]
    for upstream in stage.upstream:
        if upstream.reads_when_closed.consumers == "inline" and upstream.has_control:
            runners += runners_upstream(upstream)
    return list(dict.fromkeys(runners))
