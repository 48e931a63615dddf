"""What happens around a step that restores a checkpoint, if pipelines keep their positions in it (``saved_positions``).

Savers restore by running one op by its name. If that op runs ops that restore positions, pipelines that have started
begin again at the restored positions. A checkpoint without positions, saved before the program used
``options(checkpoint=True)``, is restored without them.
"""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Union

import numpy as np
import tensorflow as tf

from queuecompat._plan.positions import fingerprint, lost
from queuecompat._session.starting.controls import runner_of
from queuecompat._session.steps import sessions
from queuecompat._session.streams.filled_streams import FilledStream
from queuecompat.errors import RestartWarning, layout, warn_user

__all__ = ["Restoring"]

_RESTORE = "RestoreV2"


class Restoring:
    """The positions of one graph's pipelines.

    Args:
      filled: the streams of the graph; more may be added later.
    """

    def __init__(self, graph: tf.Graph, filled: Sequence[FilledStream]) -> None:
        self._graph = graph
        self._filled = filled
        self._reached: Dict[str, List[FilledStream]] = {}

    def after_step(self, session: tf.compat.v1.Session, fetch: Any) -> None:
        """To be called after *session* has run *fetch*, a name or an op; restarts the pipelines that it restored."""
        for one in self._restored_by(str(getattr(fetch, "name", fetch))):
            assert one.saved_position is not None and one.plan is not None
            saved = int(sessions.run_unattended(session, one.saved_position.fingerprint()))
            is_lost = lost(one.plan, one.stage.state.has_external_consumer) is not None
            if not one.plan.is_preview and saved not in (0, fingerprint(one.plan)) and not is_lost:
                warn_user(layout("QC352", one.stage.made_at, stage=one.stage.name), RestartWarning)
            if runner_of(one.stage).runs_in(session) and one.stream.rewinder is not None:
                sessions.run_unattended(session, one.stream.rewinder)

    def feeds_instead(
        self, session: tf.compat.v1.Session, error: tf.errors.OpError, feeds: Optional[Mapping[Any, Any]]
    ) -> Optional[Dict[Any, Any]]:
        """The feeds with which to repeat a step that failed with *error* because its checkpoint has no positions.

        Returns:
          *feeds*, the values that the checkpoint has for the restore op that failed, and positions that mean the
          beginning.
          None: *error* has a different cause.
        Raises:
          NotFoundError: the checkpoint lacks more than positions.
        """
        op = error.op
        if not isinstance(error, tf.errors.NotFoundError) or op is None or op.type != _RESTORE:
            return None
        prefix, names, slices = sessions.run_unattended(session, list(op.inputs), feed_dict=feeds)
        try:
            saved = tf.train.load_checkpoint(tf.compat.as_text(np.asarray(prefix).item()))
        except (tf.errors.OpError, ValueError):  # there is no such checkpoint
            return None
        ours = {one.saved_position.name: one for one in self._filled if one.saved_position is not None}
        keys = [name.decode() for name in names]
        missing = {number for number, key in enumerate(keys) if key in ours and not saved.has_tensor(key)}
        if not missing:
            return None
        # If more than positions is missing, this raises the error that says so.
        values = _values(np.asarray(prefix).item(), names, slices, [output.dtype for output in op.outputs], missing)
        for one in (ours[keys[number]] for number in sorted(missing)):
            if one.plan is not None and not one.plan.is_preview:
                warn_user(layout("QC351", one.stage.made_at, stage=one.stage.name), RestartWarning)
        return {**(feeds or {}), **{output: values[number] for number, output in enumerate(op.outputs)}}

    def _restored_by(self, name: str) -> List[FilledStream]:
        """The streams whose positions are restored by the op or tensor called *name*."""
        if name not in self._reached:
            by_op = {
                op: one for one in self._filled if one.saved_position is not None for op in one.saved_position.restores
            }
            if not by_op:
                return []  # not cached: a saver may be made later
            self._reached[name] = [by_op[op] for op in self._before(name) if op in by_op]
        return self._reached[name]

    def _before(self, name: str) -> Set[str]:
        """The names of the ops that run before the op called *name* because of control dependencies alone."""
        try:
            waiting = [self._graph.as_graph_element(name)]
        except (KeyError, ValueError, TypeError):
            return set()
        found: Set[str] = set()
        while waiting:
            op = getattr(waiting[-1], "op", waiting[-1])
            waiting.pop()
            if op.name not in found:
                found.add(op.name)
                waiting += op.control_inputs
        return found


def _values(
    prefix: Union[bytes, str], names: Any, slices: Any, dtypes: Sequence[tf.DType], missing: Set[int]
) -> List[Any]:
    """The values of the checkpoint's tensors called *names*.

    For the indices in *missing*, positions that mean the beginning.
    """
    there = [number for number in range(len(names)) if number not in missing]
    values: List[Any] = [[0, -1, -1, 0]] * len(names)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        if there:
            restored = tf.raw_ops.RestoreV2(
                prefix=prefix,
                tensor_names=[names[number] for number in there],
                shape_and_slices=[slices[number] for number in there],
                dtypes=[dtypes[number] for number in there],
            )
            for number, value in zip(there, sessions.run_unattended(session, restored)):
                values[number] = value
    return values
