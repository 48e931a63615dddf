"""Phases: parts of one step of a session, of which each run does only some.

TensorFlow prepares a step when it first sees this combination of fetches and feeds. That takes far longer than running
our ops, and longer still in a thread that has run no step before. So the ops that end pipelines are in the same step as
those that start them: the values that are fed decide which of the two a run does.

Rule 1: an op of a phase has a control dependency on the phase's ``pivot``. In a run that is fed False for the phase,
        the pivot is dead (the untaken side of a Switch), and so are the op and everything that depends on it. A run
        that is fed nothing does all that it fetches, whatever the phase.
Rule 2: a tensor that all runs fetch has to be alive in all of them: see ``or_else``.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Phase"]

_PHASES = "_queuecompat_phases"


class Phase:
    """One phase, on one task of one graph; ``Phase.of`` returns the same object each time.

    Attributes:
      is_done: a scalar bool to feed: whether the run does the ops of the phase.
      pivot: an op that runs only if the run does the phase.
    """

    def __init__(self, placement: Placement, scope: str, name: str) -> None:
        self._placement, self._scope = placement, scope
        yes = placement.constant(scope, True, tf.bool)
        with outside_user_scopes(placement, scope):
            self.is_done: tf.Tensor = tf.raw_ops.PlaceholderWithDefault(input=yes, shape=[], name=name)
            switch = tf.raw_ops.Switch(data=self.is_done, pred=self.is_done)
            self.pivot: tf.Operation = tf.identity(switch.output_true).op

    @classmethod
    def of(cls, placement: Placement, scope: str, name: str) -> Phase:
        """The phase called *name* on the task of *placement*; made below *scope* if it does not exist yet."""
        if not hasattr(placement.graph, _PHASES):
            setattr(placement.graph, _PHASES, {})
        known: Dict[Tuple[str, str], Phase] = getattr(placement.graph, _PHASES)
        if (placement.task, name) not in known:
            known[placement.task, name] = cls(placement, scope, name)
        return known[placement.task, name]

    def outside(self, op: tf.Operation) -> List[tf.Operation]:
        """*op* and those of its dependencies that run in every run of *op*, even in one that does not do the phase."""
        is_inside: Dict[tf.Operation, bool] = {self.pivot: True}
        waiting = [op]
        while waiting:
            one = waiting[-1]
            earlier = [*(given.op for given in one.inputs), *one.control_inputs]
            unknown = [other for other in earlier if other not in is_inside] if one not in is_inside else []
            is_dead = (all if one.type == "Merge" else any)(is_inside.get(other, False) for other in earlier)
            is_inside[one] = is_inside.get(one, False) or (is_dead and bool(earlier))
            if unknown:
                waiting += unknown
            else:
                waiting.pop()
        return [one for one, inside in is_inside.items() if not inside]

    def or_else(self, value: tf.Tensor, otherwise: bool) -> tf.Tensor:
        """*value*, a scalar bool computed in the phase; *otherwise* in a run that does not do the phase."""
        constant = self._placement.constant(self._scope, otherwise, tf.bool)
        with outside_user_scopes(self._placement, self._scope):
            nothing = tf.raw_ops.Switch(data=constant, pred=self.is_done).output_false
            return tf.raw_ops.Merge(inputs=[value, nothing]).output
