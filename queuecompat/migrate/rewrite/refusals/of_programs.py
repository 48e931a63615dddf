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
        "{owner} has no '{call}' any more, which only 'queuecompat run' and queuecompat.v1 bring back",
        "replace it first; 'queuecompat check' says by what",
    ),
    Refusal(
        "unknown-dimension",
        "it is unknown whether '{value}' is a dimension, which has no 'value' in eager mode",
        "take it from get_shape().as_list()",
    ),
    Refusal(
        "graph-mode-line",
        "it turns eager execution off, and is more than a line of its own",
        "write that call on a line of its own",
    ),
    # Functions and their callers.
    Refusal(
        "passed-by-caller",
        "'{call}' gets '{name}', which the caller of '{function}' passes: only a function that makes its own "
        "records can be changed",
        "create the queue and the batch in one function",
    ),
    Refusal(
        "called-elsewhere",
        "'{call}' is called here, too",
        "let this place read the batches of the first call, or call a copy of the function",
    ),
    Refusal(
        "outside-batch",
        "'{value}' does not come from a batcher, and a dataset returns nothing besides its batches",
        "return it from another function",
    ),
    Refusal(
        "method-builds",
        "the pipeline is built by the method '{method}'",
        "make a function of it, outside of the class",
    ),
    Refusal(
        "method-may-build",
        "the method '{method}' may build the pipeline, which is known only at run time",
        "make a function of it, outside of the class, if it does",
    ),
    Refusal(
        "attribute-made-elsewhere",
        "'{name}' belongs to a graph, and a different method makes it",
        "make it in the method that batches",
    ),
    Refusal(
        "attribute-used-elsewhere",
        "'{name}' belongs to a graph, and may be used outside of this method",
        "use a plain name for it, or return it",
    ),
    Refusal(
        "made-in-graph",
        "an object of '{name}' can only be made in a graph",
        "move what needs the graph into the method that batches",
    ),
    Refusal(
        "batch-in-object",
        "the batch is hidden in an object of the class '{name}'",
        "let a function return it, and call that here",
    ),
    Refusal(
        "used-elsewhere",
        "'{function}' is used in '{file}', and that use cannot be rewritten",
        "let '{file}' call it, assign the batch to plain names, and run the session there",
    ),
    Refusal("held-back", "it can only be rewritten together with '{file}', and there {reason}"),
    Refusal(
        "across-cells",
        "an eager loop would take code from one cell of this notebook to another",
        "put the pipeline and the loop into one cell",
    ),
    Refusal(
        "graph-at-import",
        "'{file}', which it imports, works only in a graph",
        "move what needs the graph out of that file",
    ),
    Refusal(
        "graph-beside",
        "'{file}' is in a program with it, and works only in a graph",
        "start what it runs in a program of its own",
    ),
    # Input functions of programs whose sessions stay.
    Refusal(
        "graph-argument",
        "'{call}' reads '{value}', which may be a tensor of the session's graph",
        "pass a value of Python",
    ),
    Refusal(
        "list-of-batch",
        "'{call}' may return a list here, and an element of a dataset is a tuple",
        "assign its parts to names of their own: a, b = {call}(...)",
    ),
    Refusal(
        "list-in-batch",
        "lists may be inside of '{name}', and in an element of a dataset they are tuples",
        "assign its parts to names of their own, and return these",
    ),
    Refusal(
        "summary-of-batch",
        "'{call}' writes a summary, which only the graph of the session would collect",
        "write it where the session is run",
    ),
    Refusal(
        "named-tensor",
        "'{name}' is the name of a tensor of this pipeline, and a dataset has none of its names",
        "use the tensor that the function returns, or --to as-dataset",
    ),
    Refusal(
        "shared-variable",
        "'{call}' returns a variable that the program changes, and a decorated function has variables of its own",
        "use --to tf-data or --to v1",
    ),
    Refusal(
        "asked-runners",
        "'{call}' returns the queue runners of this pipeline, and a dataset has none",
        "start them by tf.train.start_queue_runners, or use --to as-dataset",
    ),
    Refusal(
        "device-of-iterator",
        "'{call}' may place the pipeline on a device that has no ops of tf.data",
        "use --to as-dataset or --to v1",
    ),
    Refusal(
        "collected",
        "'{call}' is not in the graph of the session then, where '{reader}' may look for what it makes",
        "move it out of the input function",
    ),
    Refusal(
        "looked-up",
        "'{function}' may be called other than by its name: as a value, by its decorator, or looked up",
        "call it by its plain name",
    ),
    Refusal(
        "replaced",
        "'{file}' replaces '{function}' while it runs, and what it puts there is no dataset",
        "replace what the pipeline reads instead, such as its files",
    ),
    Refusal(
        "serves-sessions",
        "'{function}' returns tensors to a program that keeps its session",
        "go back to the files as they were before '--to as-dataset', and run this command on those",
    ),
    # Lines that are more than one plain assignment.
    Refusal("several-statements", "there are several statements in this line", _APART),
    Refusal("annotated", "an annotated name cannot be followed here", "write the assignment without its annotation"),
    Refusal("augmented", "it changes a name in place", "write it as 'name = name ...'"),
    Refusal("one-line-block", "it is in one line with what is around it", "write it on lines of its own"),
    Refusal("one-line-with", "a block is in the line of its 'with'", "write it on lines of its own"),
    Refusal("one-line-def", "it stands in one line with its 'def'", "write it on a line of its own"),
    Refusal("batch-not-plain", "a batch has no plain names", "assign it to such"),
    Refusal(
        "batch-target",
        "the batch is assigned to '{target}', and a loop over batches needs plain names",
        "assign it to such first",
    ),
    # Parts of pipelines that no rewrite looks for.
    Refusal(
        "names-one-by-one",
        "it imports names out of TensorFlow, and not TensorFlow itself",
        "write 'import tensorflow as tf', and tf.train.batch",
    ),
    Refusal("no-tensorflow", "it does not import TensorFlow", "write 'import tensorflow as tf'"),
    Refusal(
        "re-exported",
        "its name for TensorFlow comes from '{file}'",
        "write 'import tensorflow as tf' in this file, too",
    ),
    Refusal(
        "in-method",
        "'{call}' is used in the class '{name}'",
        "build the pipeline in a function outside of the class",
    ),
    Refusal(
        "in-inner-function",
        "'{call}' is used in '{name}', a function inside of another function",
        "move it to the top of the file",
    ),
    Refusal(
        "called-without-session",
        "'{function}' is called in '{caller}', which makes no session to run its batch in",
        "make the session there, and run the batch in its block",
    ),
    Refusal(
        "called-by-others",
        "'{function}' is called by functions of other files, which pass its batch on",
        "call it where the session is run",
    ),
    Refusal(
        "part-in-function",
        "'{call}' is used in '{name}', which returns no batch of its own",
        "let one function make the records and batch them",
    ),
    Refusal(
        "part-outside",
        "'{call}' is used outside of functions, and no session here that can be rewritten reads from it",
        "build the pipeline in a function that returns its batch",
    ),
)
