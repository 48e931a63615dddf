"""A function as the graph optimiser of a session leaves it, for datasets of eager mode.

In a session TensorFlow rewrites what the functions of a dataset compute, and TensorFlow 1 did so with the ops of a
queue runner: ``x / 255.`` becomes ``x * (1 / 255.)``, ``x * 2. / 255.`` one product. These have other last bits. In
eager mode it leaves the functions of datasets as they are, and so they are rewritten here.

Rule 1: the rewriting is TensorFlow's own, as a session does it: a dataset that would call the function is made in one,
        and written out again; nothing is computed.
Rule 2: that session has threads of its own, and is not one of the user's: in a process that was forked later,
        TensorFlow's common threads are missing.
Rule 3: what is made calls nothing by a name that was there before: eager mode keeps one function for each name.
"""

from __future__ import annotations

import hashlib
from typing import Any

import tensorflow as tf

from queuecompat._analysis.library import called_functions
from queuecompat._native.originals import RUN

__all__ = ["as_in_session"]

_CONFIG = tf.compat.v1.ConfigProto(
    device_count={"GPU": 0},
    use_per_session_threads=True,
    inter_op_parallelism_threads=1,
    intra_op_parallelism_threads=1,
)
# What an op says of a state outside of the dataset is no reason not to write it out.
_IGNORE_STATE = 1


def as_in_session(function: Any, name: str, definitions: Any) -> Any:
    """A concrete function of what the concrete *function* takes and has captured, with its results; captures nothing.

    Args:
      name: of its definition among *definitions*.
      definitions: a GraphDef whose library has it, and those that it calls.
    """
    rewritten, name = _renamed(_rewritten(function, name, definitions), name)
    rewritten.versions.CopyFrom(definitions.versions)
    is_stateful = any(one.signature.name == name and one.signature.is_stateful for one in rewritten.library.function)
    call = tf.raw_ops.StatefulPartitionedCall if is_stateful else tf.raw_ops.PartitionedCall
    # TensorFlow keeps what is traced, and *function* knows the graph of the user's.
    returned = [output.dtype for output in function.outputs]

    def called(*given: tf.Tensor) -> Any:
        tf.graph_util.import_graph_def(rewritten, name="")
        return call(args=list(given), Tout=returned, f=name)

    specs = [tf.TensorSpec(taken.shape, taken.dtype) for taken in function.inputs]
    return tf.compat.v1.wrap_function(called, specs, name="queuecompat")


def _rewritten(function: Any, name: str, definitions: Any) -> Any:
    """*definitions* after a session's graph optimiser."""
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(definitions, name="")
        start, stop, step = (tf.constant(number, tf.int64) for number in (0, 0, 1))
        numbers = tf.raw_ops.RangeDataset(
            start=start, stop=stop, step=step, output_types=[tf.int64], output_shapes=[[]]
        )
        # It takes more than a number, which nothing finds out as long as it is not called.
        calling = tf.raw_ops.MapDataset(
            input_dataset=numbers,
            other_arguments=[],
            f=name,
            output_types=[output.dtype for output in function.outputs],
            output_shapes=[output.shape for output in function.outputs],
        )
        written = tf.raw_ops.DatasetToGraphV2(input_dataset=calling, external_state_policy=_IGNORE_STATE)
        with tf.compat.v1.Session(config=_CONFIG) as session:
            return tf.compat.v1.GraphDef(library=tf.compat.v1.GraphDef.FromString(RUN(session, written)).library)


def _renamed(definitions: Any, name: str) -> Any:
    """*definitions* under names of their own, and the one that *name* has then."""
    content = hashlib.sha1(definitions.SerializeToString(deterministic=True)).hexdigest()[:16]
    names = {one.signature.name: f"{one.signature.name}_{content}" for one in definitions.library.function}
    for definition in definitions.library.function:
        definition.signature.name = names[definition.signature.name]
        for node in definition.node_def:
            node.op = names.get(node.op, node.op)
            for called in called_functions(node):
                called.name = names.get(called.name, called.name)
    return definitions, names[name]
