"""Why a rewrite leaves a program unchanged, as data: the table of refusals.

Rule 1: every reason that a user reads after QC743 and QC744 is a row of ``REFUSALS``: what stands in the way, in words
        for the program's author, and what to do about it.
Rule 2: a row whose *instead* is empty has no advice of its own: that of the code holds.
Rule 3: a row that *follows* may be only a consequence of an obstacle above it: it is listed where it is the first one.
Rule 4: what a row *in_graph* is about is none where the model stays a graph: the program is looked at once more for
        that form (``sessions/wrappable``).
"""

from __future__ import annotations

import dataclasses
from typing import List, Sequence

import libcst as cst

__all__ = ["REFUSALS", "Refusal", "UnsupportedPatternError", "refused"]


@dataclasses.dataclass(frozen=True)
class Refusal:
    """One row of the table. *what* and *instead* may name fields in braces; *in_graph*: see rule 4."""

    key: str
    what: str
    instead: str = ""
    follows: bool = False
    in_graph: bool = False


class UnsupportedPatternError(Exception):
    """A part of a program that a rewrite does not take.

    Attributes:
      node: where.
      row: the row of the table.
      reason: what it says of this program, in one line.
      others: what else is in the way of the same pipeline.
    """

    def __init__(self, node: cst.CSTNode, row: Refusal, reason: str) -> None:
        self.node, self.row, self.reason = node, row, reason
        self.others: List[UnsupportedPatternError] = []
        super().__init__(reason)

    @classmethod
    def of_all(cls, found: Sequence[UnsupportedPatternError]) -> UnsupportedPatternError:
        """The first of several, with all others that are no consequence of it."""
        first = found[0]
        first.others = [one for one in found[1:] if not one.row.follows]
        return first

    def at(self, node: cst.CSTNode) -> UnsupportedPatternError:
        """The same refusal at a different node."""
        return UnsupportedPatternError(node, self.row, self.reason)


def refused(key: str, node: cst.CSTNode, **fields: str) -> UnsupportedPatternError:
    """The error to raise at *node*; *fields* fill in the words of the row."""
    row = REFUSALS[key]
    words = (" ".join(part.format(**fields).split()) for part in (row.what, row.instead) if part)
    return UnsupportedPatternError(node, row, ": ".join(words))


_APART = "write each statement on a line of its own"
_INTO_LOOP = "read its value by sess.run in the loop"
_PLAIN_READ = "read with '_, record = reader.read(queue)'"
_ONE_PIPELINE = "write one input function for each"

REFUSALS = {
    row.key: row
    for row in (
        # Names and imports.
        Refusal(
            "not-in-compat-v1",
            "'{call}' is not in tensorflow.compat.v1",
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
            "graph-at-import",
            "'{file}', which it imports, works only in a graph",
            "move what needs the graph out of that file",
        ),
        # Input functions of programs whose sessions stay.
        Refusal(
            "graph-argument",
            "'{call}' reads '{value}', which may be a tensor of the session's graph",
            "pass a value of Python",
        ),
        Refusal(
            "list-of-batch",
            "'{call}' returns a list here, and an element of a dataset is a tuple",
            "assign its parts to names of their own: a, b = {call}(...)",
        ),
        Refusal(
            "summary-of-batch",
            "'{call}' writes a summary, which only the graph of the session would collect",
            "write it where the session is run",
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
            "serves-sessions",
            "'{function}' returns tensors to a program that keeps its session",
            "go back to the files as they were before '--to as-dataset', and run this command on those",
        ),
        # Lines that are more than one plain assignment.
        Refusal("several-statements", "there are several statements in this line", _APART),
        Refusal(
            "annotated", "an annotated name cannot be followed here", "write the assignment without its annotation"
        ),
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
            "part-in-function",
            "'{call}' is used in '{name}', which returns no batch of its own",
            "let one function make the records and batch them",
        ),
        Refusal(
            "part-outside",
            "'{call}' is used outside of functions, and no session here reads from it",
            "build the pipeline in a function that returns its batch",
        ),
        # Sessions.
        Refusal(
            "second-session",
            "a second session starts again with queues and variables of its own",
            "run everything in one session",
        ),
        Refusal(
            "second-start",
            "variables that are initialized again lose their values",
            "run the initializer once, before the loop",
        ),
        Refusal(
            "run-too-early",
            "the session is run before all pipelines are built",
            "build all pipelines first",
        ),
        Refusal("never-run", "no loop runs it in a session", "move the loop that runs it into this function"),
        Refusal(
            "session-argument",
            "the session has '{name}'",
            "write into the loop what that does",
        ),
        Refusal("run-by-eval", "'{call}' runs it", "write it as 'sess.run(...)'"),
        Refusal(
            "session-use",
            "it uses the session, the graph or the coordinator in a way that is not supported",
            "use them only to start, run and stop",
        ),
        Refusal("tensor-outside", "it uses a tensor outside of the loop", _INTO_LOOP),
        Refusal("training-outside", "it uses the training op outside of the loop", "run it in the loop"),
        Refusal(
            "recomputed",
            "'{name}' is recomputed by every session.run",
            "compute it in the function that the loop calls, or once in NumPy",
        ),
        Refusal(
            "changed-before-run",
            "'{name}' changes between this and the run that needs it",
            "use a second name for the changed value",
        ),
        Refusal(
            "read-by-function",
            "'{name}' is different for each batch, and '{reader}' reads it from around it",
            "give it as an argument",
        ),
        Refusal("graph-op", "'{call}' belongs to a graph", "replace it by what TensorFlow 2 has for it", in_graph=True),
        Refusal(
            "shared-seed",
            "random ops share the seed {seed}, and would share its state in eager mode",
            "use a different seed for each",
        ),
        # The pipelines of a block.
        Refusal("no-pipeline", "no statement here builds a pipeline", "build the pipeline in the block that runs it"),
        Refusal(
            "no-batcher",
            "the pipeline does not end in a batcher, or in a function with one",
            "batch its tensors with tf.train.batch",
        ),
        Refusal(
            "pipeline-in-block",
            "the pipeline is built in a block of its own",
            "put its statements outside of it, or into a function",
        ),
        Refusal(
            "pipeline-uses-session",
            "the pipeline uses the session, the graph or the coordinator",
            "build it without them",
        ),
        Refusal(
            "between-queues",
            "something between the queues is used outside of the pipeline",
            "batch it, too, and use the batch",
        ),
        Refusal("batch-names-shared", "it uses the names of a batch of another pipeline", "use names of its own"),
        Refusal("two-batches", "it returns more than one batch", _ONE_PIPELINE),
        Refusal("two-meanings", "'{name}' has two meanings here", "use two names"),
        # The model.
        Refusal(
            "unknown-draws",
            "it is unknown here from which pipelines this run draws a batch",
            "fetch tensors of one pipeline in each run",
        ),
        Refusal("second-training", "there is a second training op", "train with one", in_graph=True),
        Refusal(
            "minimize-arguments",
            "minimize has arguments that are not supported",
            "pass the loss, global_step and name only",
            in_graph=True,
        ),
        Refusal(
            "more-than-assignment",
            "it is more than an assignment on a batch",
            "write it as 'name = ...'",
            in_graph=True,
        ),
        Refusal(
            "call-on-batch", "'{call}' is more than an assignment on a batch", "write it as 'name = ...'", in_graph=True
        ),
        Refusal(
            "assigned-in-part",
            "it assigns to '{target}', and not to plain names",
            "use a name of its own for the value",
        ),
        Refusal("loss-renamed", "the loss has been minimized under this name", "use a different name here"),
        Refusal("reused-name", "'{name}' had a different value before", "use a different name here"),
        Refusal(
            "mixed-batches",
            "it mixes batches of two pipelines in a function or a lambda",
            "write the expression here",
            in_graph=True,
        ),
        Refusal("makes-and-more", "it makes a variable, and more", _APART, in_graph=True),
        Refusal(
            "variable-in-block",
            "it computes from a variable in a block of its own",
            "put the statement outside of the block",
            in_graph=True,
        ),
        Refusal(
            "variables-twice",
            "variables are created here, and in a function that is called for each batch",
            "",
            in_graph=True,
        ),
        Refusal(
            "several-templates",
            "several functions create variables for each batch",
            "call them from one function, and that for each batch",
            in_graph=True,
        ),
        # What may be repeated for each batch.
        Refusal(
            "changes-outside",
            "'{function}' changes what is outside of it",
            "return the value instead",
        ),
        Refusal("closure-tensor", "'{name}' is read in a function", "give it as an argument"),
        Refusal(
            "not-repeatable",
            "'{call}' cannot be repeated for each batch",
            "move it out of the loop's model",
            in_graph=True,
        ),
        Refusal(
            "contrib-not-repeatable",
            "'{call}' cannot be repeated for each batch",
            "use {instead}, which can",
            in_graph=True,
        ),
        Refusal(
            "maybe-not-fetched",
            "it is unknown here whether the program fetches '{call}'",
            "fetch it by itself, in the line of the run",
            in_graph=True,
        ),
        Refusal(
            "unknown-call",
            "it is unknown here what '{call}' does",
            "write it with ops of TensorFlow, or with a function of this file",
            in_graph=True,
        ),
        # Runs of the session.
        Refusal("two-runs", "it runs the session twice", "run it once, and fetch both"),
        Refusal("run-with-others", "there is another statement in the line of the run", _APART),
        Refusal(
            "fed",
            "the run is fed in a way that is not supported, or has other arguments",
            "feed placeholders of this block, by a dict in the call, or by one with a name that nothing else uses",
        ),
        Refusal("not-fed", "it does not feed '{name}', which it may need", "feed it in this run"),
        Refusal(
            "fed-rate",
            "'{name}', which is fed, is a part of an argument of the optimizer",
            "pass it as the learning rate itself",
        ),
        Refusal(
            "fed-pipeline",
            "the pipeline uses '{name}', which is fed",
            "use a value of Python",
        ),
        Refusal(
            "graph-name",
            "it uses a tensor, the session or the coordinator",
            _INTO_LOOP,
        ),
        Refusal("reads-and-changes", "it reads a variable, and changes it", "read the variable in a line of its own"),
        Refusal(
            "run-in-expression",
            "the run is in {what}, which has no place for a batch",
            "write a loop",
        ),
        Refusal(
            "run-maybe",
            "the run is in a part of an expression that is not always evaluated",
            "write it as an 'if'",
        ),
        Refusal(
            "called-before-run",
            "'{call}' is called before the run",
            "run the session in a line of its own",
        ),
        Refusal("session-in-fetches", "the session is used in what it fetches", "fetch tensors only"),
        Refusal(
            "nested-fetch",
            "'{fetch}' stands inside of the fetches",
            "fetch its parts one by one",
        ),
        Refusal("foreign-fetch", "'{fetch}' does not come from the batch", "fetch it in a run of its own"),
        Refusal(
            "fetch-order",
            "it is unknown whether '{fetch}' is read before or after the step",
            "fetch it in a run of its own",
        ),
        # Loops.
        Refusal("no-draws", "no run draws a batch", "fetch a tensor that is computed from the batch"),
        Refusal(
            "end-of-block",
            "the end of data is the end of the session's block",
            "put what follows the loop outside of the block",
        ),
        Refusal(
            "changed-in-loop",
            "the session or the coordinator is changed in the loop",
            "leave the loop by 'break'",
        ),
        Refusal("stopped-before", "the coordinator was stopped before", "stop it after the last run"),
        Refusal(
            "graph-condition",
            "its condition is about a tensor, the session or the coordinator",
            "run the session in a line of its own, and ask for its value",
        ),
        Refusal(
            "run-in-condition",
            "a run is in the condition of its loop",
            "run it in the body, and leave by 'break'",
        ),
        Refusal("loop-over-graph", "its loop is over something of the graph", "loop over steps"),
        Refusal(
            "loop-condition",
            "its loop is over something of the graph, or has a condition on it",
            "loop over steps",
        ),
        Refusal(
            "held-error",
            "errors are given to the coordinator, which does not raise them right after this",
            "call its join(threads) there",
        ),
        Refusal(
            "other-errors",
            "it catches errors other than the end of data",
            "catch tf.errors.OutOfRangeError or KeyboardInterrupt only",
        ),
        # Single loops: such a refusal is not shown, because an iterator takes the loop then.
        Refusal("loop-end-is-error", "the end of data is an error here, and would be the end of the loop"),
        Refusal("no-plain-loop", "the session is not run by a plain loop"),
        Refusal("loop-feeds", "its run is fed"),
        Refusal("loop-without-draw", "the run draws no batch"),
        Refusal("two-ends", "its loop may end in two ways"),
        Refusal("more-than-stopping", "its 'else' or 'finally' does more than to stop threads"),
        Refusal("handler-uses-graph", "it uses the error, the session or a tensor"),
        Refusal("loop-not-once", "the loop body must call session.run exactly once"),
        Refusal("graph-before-loop", "something before the loop uses a tensor or the session"),
        Refusal("leaves-before-run", "a turn of its loop may end before the run"),
        Refusal("pipeline-changed", "it changes what the pipeline reads"),
        Refusal("pipeline-result", "it reads what the pipeline's functions set"),
        Refusal("once-more", "it happens once more than there are batches"),
        # Pipelines in tf.data: their parts.
        Refusal(
            "not-an-array",
            "it is unknown here whether '{call}' returns an array",
            "load the array in a line of its own, with NumPy",
        ),
        Refusal(
            "tensors-not-listed",
            "its tensors are not listed here",
            "write them as a list: [image, label]",
            follows=True,
        ),
        Refusal("never-kept", "its keep_input is False, so that it never produces a batch", "pass keep_input=True"),
        Refusal("decided-at-run", "its {name} is decided at run time", "write {name}=True or {name}=False"),
        Refusal("unknown-argument", "its argument {names} has no counterpart in tf.data", "leave it out"),
        Refusal(
            "returned-besides",
            "'{value}' is returned, too, and is not a part of a batch",
            "return it from another function",
            follows=True,
        ),
        Refusal(
            "partly-batched",
            "there is a batch in some of its branches only",
            "batch in each branch, or after the 'if'",
        ),
        Refusal(
            "branches-tensors",
            "it batches other tensors than the branch above",
            "batch the same tensors in each branch",
        ),
        Refusal(
            "branches-names",
            "it assigns its batch to other names than the branch above",
            "use the same names in each branch",
        ),
        Refusal(
            "branch-batches-late",
            "a branch of its 'if' does not batch once, in its last line",
            "write the batcher as the last line of each branch",
        ),
        Refusal(
            "condition-changes",
            "its condition may have a different value when it is evaluated again",
            "assign it to a name before the 'if'",
        ),
        Refusal("changes-after-use", "'{name}' changes after its use", "use a second name for the changed value"),
        Refusal(
            "changed-by-call",
            "'{name}' may be changed by what is called here, after its use",
            "pass a copy, or use a second name",
        ),
        Refusal(
            "changes-part",
            "it changes a part of '{name}', which was there before",
            "build a new value in this statement",
        ),
        Refusal("returns-inside", "it returns, or assigns to a name of another function", ""),
        Refusal(
            "not-of-batch",
            "'{name}' is used after the batch, and is not a part of a batch",
            "batch it, too",
            follows=True,
        ),
        Refusal(
            "value-from-before",
            "'{name}' may have a value from before, and gets a new value here",
            "use a different name here",
        ),
        Refusal("unknown-shapes", "it is unknown here which of its shapes belongs to which tensor", "list the shapes"),
        Refusal(
            "lists-differ",
            "the lists of the join are not all alike",
            "make each of them by the same statements: [read(queue) for _ in range(4)]",
        ),
        Refusal("seeded-order", "its seed would result in a different order", "leave the seed out"),
        Refusal(
            "compression-unknown",
            "it is unknown here how its files are compressed",
            "write tf.python_io.TFRecordOptions(...) in this call",
        ),
        Refusal(
            "several-whole-files", "it reads several whole files at once", "read one at a time: reader.read(queue)"
        ),
        Refusal("name-dataset", "something in it is called 'dataset' already", "use a different name"),
        Refusal(
            "not-batched",
            "it does not end in a batcher",
            "batch its tensors with tf.train.batch in this function",
            follows=True,
        ),
        Refusal("after-batch", "there are statements after the batch that it returns", "return in the last line"),
        Refusal(
            "condition-of-record",
            "its condition is made of '{name}', of a single record",
            "use keep_input, or tf.cond on the record",
        ),
        Refusal("second-batcher", "there is a second batcher", _ONE_PIPELINE),
        Refusal(
            "argument-of-record",
            "an argument of its batcher is made of '{name}', of a single record",
            "use a value of Python",
        ),
        Refusal(
            "rows-unknown",
            "it is unknown here which of its tensors are dense, to count their rows",
            "pass keep_input as one number for all rows",
        ),
        Refusal(
            "records-unknown", "it is unknown here where its records come from", "read them in this function", True
        ),
        Refusal("graph-part", "'{call}' belongs to a graph", "move it out of the input function"),
        Refusal(
            "queue-use",
            "it uses a queue or a reader in a way that is not supported",
            _PLAIN_READ,
            follows=True,
        ),
        Refusal("no-counterpart", "'{call}' is a part of a pipeline without a counterpart in tf.data"),
        Refusal("read-unsupported", "it reads in a way that is not supported", _PLAIN_READ),
        Refusal("helper-queue", "it takes the queue in a way that is not supported", "pass it as a plain argument"),
        Refusal(
            "helper-does-more",
            "it does more with the queue than to read a record",
            "read once in it, with '_, record = reader.read(queue)'",
        ),
        Refusal("helper-queue-again", "it uses the queue in a second place, too", "read once in it"),
        Refusal(
            "helper-reads-by",
            "it reads in a way that depends on '{name}' of this function",
            "make the reader without it",
        ),
        Refusal("part-not-plain", "a part of a pipeline has no plain name", "assign it to one name", follows=True),
        Refusal(
            "helper-elsewhere",
            "a function that is not in this file takes the queue",
            "move the function into this file",
        ),
        Refusal(
            "two-record-sources",
            "records come from two places, or have no plain names",
            "read once, and assign to plain names",
            follows=True,
        ),
        Refusal("second-producer", "there is a second producer", _ONE_PIPELINE),
        Refusal(
            "queue-in-arguments",
            "'{call}' stands in the arguments of its batcher",
            "assign what it returns to a name, on a line of its own",
        ),
        Refusal(
            "seeded-join",
            "each of its lists draws seeded numbers of its own",
            "leave the seeds out, or use tf.train.batch",
        ),
        Refusal(
            "drawn-once",
            "'{name}' was drawn again for each of its uses, and here it would be drawn once",
            "draw it in the statement that uses it",
        ),
    )
}
