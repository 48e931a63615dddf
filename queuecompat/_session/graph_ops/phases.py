"""Phases: parts of one step of a session, of which each run does some.

TensorFlow prepares a step that is new to it, which takes far longer than all that ours do, and longer still in a thread
that has run none before. A step is known by what it is fed and what it fetches. So what ends pipelines is in the same
step as what starts them: a run is told by its feeds which of the two it does.

Rule 1: an op of a phase waits for its ``pivot``, which is dead in a run that is fed that it does not do the phase; so
        is then the op, and whatever needs it. A run that is fed nothing does all that it fetches, whatever the phase.
Rule 2: a tensor that all runs fetch is alive in all of them: ``or_else``.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

import tensorflow as tf

from queuecompat._session.graph_ops.placement import Placement, outside_user_scopes

__all__ = ["Phase"]

_PHASES = "_queuecompat_phases"


class Phase:
    """One phase, on one task of one graph; ``Phase.of`` is the same one every time.

    Attributes:
      is_done: what a run is fed, a scalar bool: whether it does what is in the phase.
      pivot: runs in the phase alone.
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
        """The phase called *name* on the task of *placement*, below the *scope* that is the first to need it."""
        if not hasattr(placement.graph, _PHASES):
            setattr(placement.graph, _PHASES, {})
        known: Dict[Tuple[str, str], Phase] = getattr(placement.graph, _PHASES)
        if (placement.task, name) not in known:
            known[placement.task, name] = cls(placement, scope, name)
        return known[placement.task, name]

    def outside(self, op: tf.Operation) -> List[tf.Operation]:
        """The ops that *op* needs, itself included, that run in any case, whether the phase is done or not."""
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
        """*value*, a scalar bool of the phase; *otherwise* in a run that does not do it."""
        constant = self._placement.constant(self._scope, otherwise, tf.bool)
        with outside_user_scopes(self._placement, self._scope):
            nothing = tf.raw_ops.Switch(data=constant, pred=self.is_done).output_false
            return tf.raw_ops.Merge(inputs=[value, nothing]).output
