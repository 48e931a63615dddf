"""QC201 to QC299: what cannot be compiled, and why."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

_NATIVE = "this pipeline runs on TensorFlow's own queues and threads: correct, but slower"

ROWS = (
    Code(
        "QC201",
        "cannot compile stage '{stage}': its tensors depend on the placeholder '{tensor}', which is fed at every step",
        _NATIVE,
        "batch first and use the placeholder after the batch; or replace it with tf.placeholder_with_default or a "
        "constant",
    ),
    Code(
        "QC202",
        "cannot compile stage '{stage}': its tensors come from '{tensor}' ({kind}), which cannot be compiled",
        _NATIVE,
        "no change is needed; for speed, take the elements from a queue, a reader or an input_producer",
    ),
    Code(
        "QC203",
        "cannot compile stage '{stage}': its {argument} is the tensor '{tensor}', whose value is known only at "
        "each step",
        _NATIVE,
        "pass {argument} as a number, or take a slice of the batch afterwards",
    ),
    Code(
        "QC204",
        "cannot compile stage '{stage}': shared_name='{tensor}' lets other sessions and graphs use its queue",
        _NATIVE,
        "remove shared_name, unless several programs really share the queue",
    ),
    Code(
        "QC206",
        "cannot compile stage '{stage}': the program itself uses its {kind}: {call}, at {place}",
        _NATIVE,
        "if the use is only for monitoring, remove it, as explain() shows the buffers; if one reader reads from two "
        "queues, create a reader for each queue",
    ),
    Code(
        "QC207",
        "cannot compile stage '{stage}': {argument}={tensor} makes empty batches",
        _NATIVE,
        "pass at least 1 for {argument}",
    ),
    Code(
        "QC208",
        "cannot compile stage '{stage}': '{tensor}' is dequeued or read inside tf.cond or tf.while_loop, not exactly "
        "once for each element",
        _NATIVE,
        "if each example may take an element every time, dequeue before the branch and choose between the results "
        "inside it",
    ),
    Code(
        "QC209",
        "cannot compile '{stage}' to a dataset: '{tensor}' is {what}",
        "this dataset runs its pipeline in a session of its own: correct, but slower",
        "fill a queue through tf.train.QueueRunner(queue, [queue.enqueue(...)]), or read with queuecompat's own "
        "functions; if the function only reads an iterator of a tf.data.Dataset, use that dataset itself",
    ),
    Code(
        "QC211",
        "cannot compile stage '{stage}': its states ('{tensor}') are saved by each training step, and a tf.data "
        "iterator cannot wait for that",
        _NATIVE,
        "no change is needed: the pipeline that produces the examples is compiled",
    ),
    Code(
        "QC212",
        "cannot compile stage '{stage}': '{tensor}' is on {there} of the cluster, but the pipeline runs on {here}",
        _NATIVE,
        "create both under the same tf.device; tf.train.replica_device_setter puts variables on a parameter "
        "server, so create those that the input needs under the tf.device of the worker",
    ),
    Code(
        "QC213",
        "cannot compile what fills the queue '{stage}': {why}",
        "its QueueRunner fills it as in TensorFlow 1, with one session.run for each element",
        "no change is needed; for more speed, {instead}",
    ),
    Code(
        "QC214",
        "the program itself runs '{op}', which the QueueRunner of '{queue}' runs as well, but the pipeline before it "
        "was started for the QueueRunner alone",
        "the run stops here, because elements would be delivered twice",
        "build tf.group({op}) before the pipelines are started, and run that; or leave the op to its QueueRunner",
    ),
)
