"""Copies ops of the user's graph into the body of a function.

Rule 1: The copy means the same as the original. NodeDefs keep their names, on which reference variables and op seeds
        depend, and lose only devices and colocations.
Rule 2: Captured tensors are not copied; each is bound to a replacement when the function is traced.

Only public TensorFlow API is used: ``import_graph_def`` inside ``wrap_function`` inside ``Dataset.map``.
``wrap_function`` is needed for v1 ``while_loop`` and ``map_fn``: in a plain map function their frames cause errors.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, List, Optional, Sequence, Set

import tensorflow as tf

from queuecompat._analysis.op_facts import is_computed
from queuecompat._analysis.stateless import make_stateless

__all__ = ["EXTERNAL_ARRAY_OP", "OpCopy", "Seed", "is_among"]

# The type of ops that stand for arrays outside of the graph. Such an op has only a name; ``bound_to`` finds the array.
EXTERNAL_ARRAY_OP = "ImmutableConst"
# Name prefix of the inputs from which random ops take their seeds.
_SEED = "queuecompat_seed"


class Seed:
    """How the seeds of random ops are computed; see ``Body.by_number``."""

    def __init__(self, key: Optional[int]) -> None:
        self.key = key
        self.spec = tf.TensorSpec([2] if key is None else [], tf.int64)

    def of_op(self, number: int, given: tf.Tensor) -> tf.Tensor:
        """Returns the seed of the op with that *number*, an int64 tensor ``[2]``."""
        whole = given if self.key is None else tf.stack([tf.constant(self.key, tf.int64), given])
        return whole + [(number + 1) << 32, 0]


@dataclasses.dataclass(frozen=True)
class OpCopy:
    """The copy of *ops* that computes *outputs* from *sources*.

    Attributes:
      ops: the ops between sources and outputs, in any order.
      first: those of *ops* that must run before any output is returned.
      captured: the tensors that are taken by reference.
      bound_to: returns the replacement for a captured tensor; called while the function is traced. For an array outside
        of the graph (``EXTERNAL_ARRAY_OP``) that is an object with ``rows(indices)`` and ``whole()``.
      library: the functions that *ops* call; None: they call none.
      seed: how the seeds of its random ops are computed; None: they keep their own.
    """

    sources: Sequence[tf.Tensor]
    outputs: Sequence[tf.Tensor]
    ops: Sequence[tf.Operation]
    first: Sequence[tf.Operation]
    captured: Sequence[tf.Tensor]
    bound_to: Callable[[tf.Tensor], Any]
    library: Optional[Any]
    seed: Optional[Seed]

    def body(self) -> Callable[[Sequence[tf.Tensor]], List[tf.Tensor]]:
        """Returns a function from the values of the sources to those of the outputs.

        With *seed*, the last of its values is the number or seed that the ops' seeds are computed from.
        """
        lookups = self._lookups()
        graph_def = self.graph_def(without=lookups)
        seeds = 0 if self.seed is None else make_stateless(graph_def, _SEED, by_name=self.seed.key is not None)
        known = (*self.sources, *self.captured, *(op.outputs[0] for op in lookups))
        wanted = [t for t in self.outputs if not is_among(t, known)]
        inside = {op.name for op in self.ops}
        in_variables = dict.fromkeys(t.name for t in self.outputs if _may_be_in_variable(t, inside))

        asked_for = _asked_for(graph_def)

        def body(values: Sequence[tf.Tensor]) -> List[tf.Tensor]:
            given = {t.name: _narrowed(value, t.shape) for t, value in zip(self.sources, values)}
            for tensor in self.captured:
                if tensor.op.type != EXTERNAL_ARRAY_OP:
                    given[tensor.name] = tf.identity(self.bound_to(tensor), name="queuecompat/captured")
                elif tensor.name in asked_for or is_among(tensor, self.outputs):
                    given[tensor.name] = self.bound_to(tensor).whole()
            for number in range(seeds):
                assert self.seed is not None
                given[f"{_SEED}_{number}:0"] = self.seed.of_op(number, values[-1])
            for op in lookups:
                given[op.outputs[0].name] = self.bound_to(op.inputs[0]).rows(given[op.inputs[1].name])
            found = tf.graph_util.import_graph_def(
                graph_def,
                input_map={name: value for name, value in given.items() if name in asked_for},
                return_elements=[t.name for t in wanted] + [op.name for op in self.first],
                name="",
            )
            given.update((t.name, copy) for t, copy in zip(wanted, found))
            with tf.control_dependencies(found[len(wanted) :]):
                # Identity would pass on the memory of the variable; this kernel copies it.
                given.update((name, tf.raw_ops.DeepCopy(x=given[name])) for name in in_variables)
                results = [_with_shape(given[t.name], t.shape) for t in self.outputs]
                return [tf.identity(result) for result in results] if self.first else results

        return body

    def output_shapes(self, of_sources: Sequence[tf.TensorShape]) -> Optional[List[tf.TensorShape]]:
        """Returns the outputs' shapes that TensorFlow infers from those of the sources; None: the ops reject these."""
        graph_def = self.graph_def()
        asked_for = _asked_for(graph_def)
        shapes = (*of_sources, *(t.shape for t in self.captured))
        with tf.Graph().as_default():
            given = {
                t.name: tf.compat.v1.placeholder(t.dtype.base_dtype, shape)
                for t, shape in zip((*self.sources, *self.captured), shapes)
            }
            wanted = [t.name for t in self.outputs if t.name not in given]
            asked = {name: value for name, value in given.items() if name in asked_for}
            try:
                found = tf.graph_util.import_graph_def(graph_def, input_map=asked, return_elements=wanted)
            except ValueError:
                return None
            given.update(zip(wanted, found))
            return [given[t.name].shape for t in self.outputs]

    def _lookups(self) -> List[tf.Operation]:
        """Returns the ops that look up rows of arrays outside of the graph by indices that are sources."""
        gathers = [op for op in self.ops if op.type == "GatherV2" and op.inputs[0].op.type == EXTERNAL_ARRAY_OP]
        return [op for op in gathers if is_among(op.inputs[1], self.sources)]

    def graph_def(self, without: Sequence[tf.Operation] = ()) -> tf.compat.v1.GraphDef:
        """Returns the ops, except those in *without*, and the functions that they call."""
        graph_def = tf.compat.v1.GraphDef()
        left_out = {op.name for op in without}
        ops = [op for op in self.ops if op.name not in left_out]
        copied = {op.name for op in ops}
        for op in ops:
            node = graph_def.node.add()
            node.CopyFrom(op.node_def)
            node.device = ""
            node.attr.pop("_class", None)
            # A control input that is not copied is a stage: when the copy runs, the stage's element has arrived.
            kept = [i for i in node.input if not i.startswith("^") or i[1:] in copied]
            del node.input[:]
            node.input.extend(kept)
        if self.library is not None:
            graph_def.library.CopyFrom(self.library)
        if self.ops:
            graph_def.versions.CopyFrom(self.ops[0].graph.graph_def_versions)
        return graph_def


def _asked_for(graph_def: tf.compat.v1.GraphDef) -> Set[str]:
    """Returns the names of the tensors that nodes use: import_graph_def refuses to map any other."""
    return {i if ":" in i else f"{i}:0" for node in graph_def.node for i in node.input}


def is_among(tensor: tf.Tensor, tensors: Sequence[tf.Tensor]) -> bool:
    """Whether *tensor* is one of *tensors*."""
    # By name: TensorFlow may hand out a new Python object for the same tensor.
    return any(tensor.name == other.name for other in tensors)


def _may_be_in_variable(tensor: tf.Tensor, inside: Set[str]) -> bool:
    """Whether *tensor* may share memory with a reference variable that is written for each element.

    Args:
      inside: the names of the slice's ops.
    """
    waiting, seen = [tensor], set()
    while waiting:
        one = waiting.pop()
        if one.dtype != one.dtype.base_dtype:
            return True
        if one.op.name not in inside or one.op.name in seen or is_computed(one.op.type):
            continue
        seen.add(one.op.name)
        waiting += one.op.inputs
    return False


def _narrowed(tensor: tf.Tensor, shape: tf.TensorShape) -> tf.Tensor:
    """Returns *tensor* after setting its static *shape*, which the user's graph knew."""
    tensor.set_shape(shape)
    return tensor


def _with_shape(tensor: tf.Tensor, wanted: tf.TensorShape) -> tf.Tensor:
    """Returns *tensor* with the static shape that the user's graph knew, checked at run time as TF1's queue did."""
    if wanted.rank is None or (tensor.shape.rank is not None and tensor.shape.as_list() == wanted.as_list()):
        return tensor
    return tf.ensure_shape(tensor, wanted)
