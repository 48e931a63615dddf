"""Rewrites a function as a session's graph optimiser would, for datasets in eager mode.

In a session, TensorFlow rewrites the functions of datasets, and TensorFlow 1 rewrote the ops of queue runners in the
same way: ``x / 255.`` becomes ``x * (1 / 255.)``, and ``x * 2. / 255.`` a single product. The results differ in their
last bits. In eager mode TensorFlow does not rewrite the functions of datasets, so that is done here.

Rule 1: TensorFlow itself rewrites the function, as in any session: a dataset that would call it is made in a session
        and serialised. Nothing is computed.
Rule 2: that session has threads of its own, and is not one of the user's, because in a process that was forked later,
        TensorFlow's common threads are missing.
Rule 3: the rewritten functions have new names, since eager mode keeps only one function for each name.
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
# State outside of the dataset, which some ops have, does not prevent its serialisation.
_IGNORE_STATE = 1


def as_in_session(function: Any, name: str, definitions: Any) -> Any:
    """A concrete function with the same results as the concrete *function*; it captures nothing.

    It takes the arguments of *function*, followed by what *function* has captured.

    Args:
      name: the name of its definition in *definitions*.
      definitions: a GraphDef whose library has that definition, and those of the functions that it calls.
    """
    rewritten, name = _renamed(_rewritten(function, name, definitions), name)
    rewritten.versions.CopyFrom(definitions.versions)
    is_stateful = any(one.signature.name == name and one.signature.is_stateful for one in rewritten.library.function)
    call = tf.raw_ops.StatefulPartitionedCall if is_stateful else tf.raw_ops.PartitionedCall
    # Read here: TensorFlow keeps what it traces, and *function* refers to the user's graph.
    returned = [output.dtype for output in function.outputs]

    def called(*given: tf.Tensor) -> Any:
        tf.graph_util.import_graph_def(rewritten, name="")
        return call(args=list(given), Tout=returned, f=name)

    specs = [tf.TensorSpec(taken.shape, taken.dtype) for taken in function.inputs]
    return tf.compat.v1.wrap_function(called, specs, name="queuecompat")


def _rewritten(function: Any, name: str, definitions: Any) -> Any:
    """*definitions*, rewritten by a session's graph optimiser."""
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(definitions, name="")
        start, stop, step = (tf.constant(number, tf.int64) for number in (0, 0, 1))
        numbers = tf.raw_ops.RangeDataset(
            start=start, stop=stop, step=step, output_types=[tf.int64], output_shapes=[[]]
        )
        # The function takes more than one number, which TensorFlow does not notice unless it is called.
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
    """*definitions* with new names, and the new name of *name*."""
    content = hashlib.sha1(definitions.SerializeToString(deterministic=True)).hexdigest()[:16]
    names = {one.signature.name: f"{one.signature.name}_{content}" for one in definitions.library.function}
    for definition in definitions.library.function:
        definition.signature.name = names[definition.signature.name]
        for node in definition.node_def:
            node.op = names.get(node.op, node.op)
            for called in called_functions(node):
                called.name = names.get(called.name, called.name)
    return definitions, names[name]
