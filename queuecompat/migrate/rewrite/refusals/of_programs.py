"""Why a whole program, or a function together with its callers, stays unchanged."""

from __future__ import annotations

from queuecompat.migrate.rewrite.refusals.refusal import Refusal

__all__ = ["ROWS"]

_APART = "write each statement on a line of its own"

ROWS = (
    # Names and imports.
    Refusal(
        "not-in-compat-v1",
        "'{call}' is not in tensorflow.compat.v1",
        "replace it first; 'queuecompat check' says by what",
    ),
    Refusal(
        "older-name",
        "{owner} no longer has '{call}'; only 'queuecompat run' and queuecompat.v1 provide it",
        "replace it first; 'queuecompat check' says by what",
    ),
    Refusal(
        "unknown-dimension",
        "it is unknown whether '{value}' is a dimension, which has no 'value' in eager mode",
        "take it from get_shape().as_list()",
    ),
    Refusal(
        "graph-mode-line",
        "this line turns eager execution off and does something else, too",
        "put that call on a line of its own",
    ),
    # Functions and their callers.
    Refusal(
        "passed-by-caller",
        "'{call}' uses '{name}', which the caller of '{function}' passes in, but only a function that reads its own "
        "records can be rewritten",
        "create the queue and the batch in one function",
    ),
    Refusal(
        "called-elsewhere",
        "'{call}' is called here, too",
        "use the batches of the first call here, or call a copy of the function",
    ),
    Refusal(
        "outside-batch",
        "'{value}' does not come from a batcher, and a dataset can return only its batches",
        "return it from another function",
    ),
    Refusal(
        "method-builds",
        "the pipeline is built by the method '{method}'",
        "make it a function outside the class",
    ),
    Refusal(
        "method-may-build",
        "the method '{method}' may build the pipeline, but that is known only at run time",
        "if it does, make it a function outside the class",
    ),
    Refusal(
        "attribute-made-elsewhere",
        "'{name}' belongs to a graph, but a different method creates it",
        "create it in the method that batches",
    ),
    Refusal(
        "attribute-used-elsewhere",
        "'{name}' belongs to a graph, and may be used outside this method",
        "assign it to a plain name, or return it",
    ),
    Refusal(
        "made-in-graph",
        "an object of '{name}' can only be created in a graph",
        "move what needs the graph into the method that batches",
    ),
    Refusal(
        "batch-in-object",
        "the batch is hidden in an object of the class '{name}'",
        "return it from a function, and call that function here",
    ),
    Refusal(
        "used-elsewhere",
        "'{function}' is used in '{file}', and that use cannot be rewritten",
        "in '{file}', call it, assign the batch to plain names, and run the session",
    ),
    Refusal(
        "tensorflow-of-caller",
        "'{file}' calls '{function}', and has no name for TensorFlow, which makes the iterator",
        "write 'import tensorflow as tf' there",
    ),
    Refusal("held-back", "it can be rewritten only together with '{file}', where {reason}"),
    Refusal(
        "across-cells",
        "an eager loop would move code from one cell of this notebook to another",
        "put the pipeline and the loop into one cell",
    ),
    Refusal(
        "graph-at-import",
        "'{file}', which it imports, works only in a graph",
        "move what needs the graph out of that file",
    ),
    Refusal(
        "graph-beside",
        "'{file}' belongs to the same program, and works only in a graph",
        "run that file as a separate program",
    ),
    # Input functions of programs whose sessions stay.
    Refusal(
        "graph-argument",
        "'{call}' reads '{value}', which may be a tensor of the session's graph",
        "pass a Python value",
    ),
    Refusal(
        "list-of-batch",
        "'{call}' may return a list here, but an element of a dataset is a tuple",
        "unpack it: a, b = {call}(...)",
    ),
    Refusal(
        "list-in-batch",
        "'{name}' may contain lists, but an element of a dataset contains tuples instead",
        "assign its parts to separate names, and return these",
    ),
    Refusal(
        "summary-of-batch",
        "'{call}' writes a summary, which only the graph of the session would collect",
        "write it where the session is run",
    ),
    Refusal(
        "named-tensor",
        "'{name}' is the name of a tensor in this pipeline, but a dataset does not have these names",
        "use the tensor that the function returns, or --to as-dataset",
    ),
    Refusal(
        "shared-variable",
        "'{call}' returns a variable that the program changes, but a decorated function has its own variables",
        "use --to tf-data or --to v1",
    ),
    Refusal(
        "asked-runners",
        "'{call}' returns the queue runners of this pipeline, but a dataset has none",
        "start them with tf.train.start_queue_runners, or use --to as-dataset",
    ),
    Refusal(
        "device-of-iterator",
        "'{call}' may place the pipeline on a device that has no ops of tf.data",
        "use --to as-dataset or --to v1",
    ),
    Refusal(
        "collected",
        "'{call}' would move out of the session's graph, where '{reader}' may look for what it creates",
        "move it out of the input function",
    ),
    Refusal(
        "looked-up",
        "'{function}' may be called in other ways than by its name: as a value, through a decorator, or through a "
        "lookup",
        "call it by its plain name",
    ),
    Refusal(
        "replaced",
        "'{file}' replaces '{function}' at run time, and the replacement does not return a dataset",
        "replace the input of the pipeline instead, such as its files",
    ),
    Refusal(
        "serves-sessions",
        "'{function}' returns tensors to a program that keeps its session",
        "restore the files as they were before '--to as-dataset', and run this command on them",
    ),
    # Lines that are more than one plain assignment.
    Refusal("several-statements", "there are several statements in this line", _APART),
    Refusal(
        "annotated", "an annotated assignment is not supported here", "write the assignment without its annotation"
    ),
    Refusal("augmented", "it is an augmented assignment", "write it as 'name = name ...'"),
    Refusal(
        "one-line-block", "its block is on the same line as the statement around it", "write it on lines of its own"
    ),
    Refusal("one-line-with", "the block of 'with' is on the same line", "write it on lines of its own"),
    Refusal("one-line-def", "its body is on the same line as 'def'", "write it on a line of its own"),
    Refusal(
        "batch-not-plain", "a batch is not assigned to plain names", "assign it to names: images, labels = inputs()"
    ),
    Refusal(
        "batch-target",
        "the batch is assigned to '{target}', and a loop over batches needs plain names",
        "assign it to plain names first",
    ),
    # Parts of pipelines that no rewrite looks for.
    Refusal(
        "names-one-by-one",
        "it imports names from TensorFlow, but not TensorFlow itself",
        "write 'import tensorflow as tf', and use full names such as tf.train.batch",
    ),
    Refusal("no-tensorflow", "it does not import TensorFlow", "write 'import tensorflow as tf'"),
    Refusal(
        "re-exported",
        "its name for TensorFlow comes from '{file}'",
        "write 'import tensorflow as tf' in this file, too",
    ),
    Refusal(
        "fed-queue",
        "'{call}' creates a queue that the program fills itself, through placeholders",
        "load its data with queuecompat.BackgroundLoader or tf.data.Dataset.from_generator",
    ),
    Refusal(
        "in-method",
        "'{call}' is used in the class '{name}'",
        "build the pipeline in a function outside the class",
    ),
    Refusal(
        "in-inner-function",
        "'{call}' is used in '{name}', a nested function",
        "move the function to the top level of the file",
    ),
    Refusal(
        "called-without-session",
        "'{function}' is called in '{caller}', which creates no session to run its batch",
        "create the session there, and run the batch in its block",
    ),
    Refusal(
        "called-at-top-level",
        "'{function}' is called at the top level of the file, where no session that can be rewritten runs its batch",
        "run the batch in the block of a session there",
    ),
    Refusal(
        "called-by-others",
        "'{function}' is called by functions of other files, which pass its batch on",
        "call it where the session is run",
    ),
    Refusal(
        "slim-dataset",
        "'{name}' only describes records, which DatasetDataProvider of tf.contrib.slim reads in a different function",
        "read and batch the records in one function",
    ),
    Refusal(
        "part-in-function",
        "'{call}' is used in '{name}', which returns no batch of its own",
        "read and batch the records in one function",
    ),
    Refusal(
        "part-outside",
        "'{call}' is used outside functions, and no session here that can be rewritten reads from it",
        "build the pipeline in a function that returns its batch",
    ),
)
