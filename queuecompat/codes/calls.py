"""QC101 to QC199: calls in the wrong place. QC401: a Python 2 program. QC402: a library of TensorFlow 1."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "QC101",
        "'{call}' builds a queue pipeline, which needs a graph, but eager execution is on",
        "nothing was built",
        "in a TensorFlow 1 program, replace 'import tensorflow as tf' with 'import queuecompat.v1 as tf'; in a "
        "TensorFlow 2 program, pass the function that builds the pipeline to 'queuecompat.as_dataset', or call it "
        "inside 'with tf.Graph().as_default():'",
    ),
    Code(
        "QC102",
        "'{call}' was called inside a tf.function, which would create, fill and close a queue on every call",
        "nothing was built",
        "build the pipeline outside the function and pass its tensors in",
    ),
    Code(
        "QC103",
        "QueueRunner got {given} in its {argument}, but in eager mode an op runs immediately, so the runner has "
        "nothing to repeat",
        "nothing was built",
        "pass a function that enqueues each time it is called: QueueRunner(queue, [lambda: queue.enqueue(load())])",
    ),
    Code(
        "QC104",
        "QueueRunner got the Python function {given} in its {argument}, but a QueueRunner that is built in a "
        "graph can only run ops",
        "nothing was built",
        "pass the op that queue.enqueue(...) returns, and wrap the Python code in tf.py_func; or create the queue "
        "and the runner in eager mode",
    ),
    Code(
        "QC105",
        "the QueueRunner of '{queue}' runs Python functions, which cannot be written to a proto",
        "the runner works, but it cannot be saved with its graph",
        "create the runner in the program that loads the graph",
    ),
    Code(
        "QC401",
        "{file}:{line} is Python 2: {what}",
        "the program was stopped here",
        "{how}",
    ),
    Code(
        "QC402",
        "{file}:{line} uses a name of TensorFlow 1, but the installed library '{library}' runs with TensorFlow 2",
        "the program was stopped here",
        "if the library was written for TensorFlow 1, run it as part of the program: queuecompat run --tree {folder} "
        "...",
    ),
)
