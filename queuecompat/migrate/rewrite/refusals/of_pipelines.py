"""Why a pipeline cannot be written in tf.data."""

from __future__ import annotations

from queuecompat.migrate.rewrite.refusals.refusal import Refusal

__all__ = ["ROWS"]

_PLAIN_READ = "read with '_, record = reader.read(queue)'"
_ONE_PIPELINE = "write one input function for each"

ROWS = (
    # Pipelines in tf.data: their parts.
    Refusal(
        "not-an-array",
        "it is unknown whether '{call}' returns an array",
        "load the array on a line of its own, with NumPy",
    ),
    Refusal(
        "tensors-not-listed",
        "its tensors are not written as a list here",
        "write them as a list: [image, label]",
        follows=True,
    ),
    Refusal("never-kept", "its keep_input is False, so it never produces a batch", "pass keep_input=True"),
    Refusal("decided-at-run", "its {name} is decided at run time", "write {name}=True or {name}=False"),
    Refusal("starred-argument", "its arguments {given} are known only at run time", "write each as name=value"),
    Refusal("unknown-argument", "its argument {names} has no counterpart in tf.data", "leave it out"),
    Refusal(
        "returned-besides",
        "'{value}' is returned as well, but is not part of a batch",
        "return it from another function",
        follows=True,
    ),
    Refusal(
        "partly-batched",
        "only some of its branches make a batch",
        "batch in each branch, or after the 'if'",
    ),
    Refusal(
        "branches-tensors",
        "it batches different tensors than the branch above",
        "batch the same tensors in each branch",
    ),
    Refusal(
        "branches-names",
        "it assigns its batch to different names than the branch above",
        "use the same names in each branch",
    ),
    Refusal(
        "branch-batches-late",
        "a branch of its 'if' does not end with its only call of a batcher",
        "call the batcher once, in the last line of each branch",
    ),
    Refusal(
        "condition-changes",
        "its condition may have a different value when it is evaluated again",
        "assign it to a name before the 'if'",
    ),
    Refusal("changes-after-use", "'{name}' changes after it is used", "use a second name for the changed value"),
    Refusal(
        "changed-by-call",
        "a call here may change '{name}' after it is used",
        "pass a copy, or use a second name",
    ),
    Refusal(
        "changes-part",
        "it changes a part of '{name}', which already existed",
        "build a new value in this statement",
    ),
    Refusal("returns-inside", "it returns, or assigns to a name of an enclosing function", ""),
    Refusal(
        "not-of-batch",
        "'{name}' is used after the batch, but is not part of a batch",
        "batch it, too",
        follows=True,
    ),
    Refusal(
        "value-from-before",
        "'{name}' may already have a value when this line assigns to it",
        "use a different name here",
    ),
    Refusal(
        "unknown-shapes", "it is unknown which of its shapes belongs to which tensor", "write the shapes as a list"
    ),
    Refusal(
        "lists-differ",
        "the lists of the join are not all alike",
        "build each of them with the same statements: [read(queue) for _ in range(4)]",
    ),
    Refusal(
        "seeded-order",
        "the seed of its producer determines an order, but whether the producer shuffles is known only at run time",
        "leave that seed out, or write shuffle=True",
    ),
    Refusal(
        "compression-unknown",
        "it is unknown how its files are compressed",
        "write tf.python_io.TFRecordOptions(...) in this call",
    ),
    Refusal("several-whole-files", "it reads several whole files at once", "read one at a time: reader.read(queue)"),
    Refusal("name-dataset", "the name 'dataset' is already used in it", "use a different name"),
    Refusal(
        "not-batched",
        "it does not end in a batcher",
        "batch its tensors with tf.train.batch in this function, unless each is a batch already",
        follows=True,
    ),
    Refusal("after-batch", "there are statements after the batch that it returns", "return in the last line"),
    Refusal(
        "condition-of-record",
        "its condition depends on '{name}', which belongs to a single record",
        "use keep_input, or tf.cond on the record",
    ),
    Refusal("second-batcher", "there is a second batcher", _ONE_PIPELINE),
    Refusal(
        "argument-of-record",
        "an argument of its batcher depends on '{name}', which belongs to a single record",
        "use a Python value",
    ),
    Refusal(
        "rows-unknown",
        "it is unknown which of its tensors are dense, so their rows cannot be counted",
        "pass keep_input as one value for all rows",
    ),
    Refusal("records-unknown", "it is unknown where its records come from", "read them in this function", True),
    Refusal("graph-part", "'{call}' belongs to a graph", "move it out of the input function"),
    Refusal(
        "queue-use",
        "it uses a queue or a reader in a way that is not supported",
        _PLAIN_READ,
        follows=True,
    ),
    Refusal("no-translation", "'{call}' is part of a pipeline, and migrate does not support this use of it"),
    Refusal(
        "part-of-object",
        "objects of the class '{name}' build a part of the pipeline",
        "build all of it in one method, or in a function outside the class",
    ),
    Refusal(
        "helper-not-plain",
        "'{call}' builds a part of the pipeline, and its statements cannot take the place of this call",
        "write them here",
    ),
    Refusal(
        "part-in-branch",
        "'{call}' is called in a branch of an 'if'",
        "write one input function for each branch",
    ),
    Refusal(
        "batch-of-function",
        "'{call}' already returns a batch, which this function only passes on",
        "call it where the session is run, and pass its batch to what uses it",
    ),
    Refusal("read-unsupported", "it reads in a way that is not supported", _PLAIN_READ),
    Refusal("helper-queue", "it takes the queue in a way that is not supported", "pass it as a plain argument"),
    Refusal(
        "helper-does-more",
        "it does more with the queue than read a record",
        "read once in it: _, record = reader.read(queue)",
    ),
    Refusal("helper-queue-again", "it uses the queue in a second place", "read once in it"),
    Refusal(
        "helper-reads-by",
        "it reads in a way that depends on '{name}' of this function",
        "create the reader without it",
    ),
    Refusal(
        "part-not-plain", "a part of a pipeline is not assigned to a plain name", "assign it to one name", follows=True
    ),
    Refusal(
        "helper-elsewhere",
        "'{call}' takes the queue, and is not a function of this file",
        "move that function into the file that creates the queue",
    ),
    Refusal(
        "two-record-sources",
        "records come from two places, or are not assigned to plain names",
        "read once, and assign to plain names",
        follows=True,
    ),
    Refusal("second-producer", "there is a second producer", _ONE_PIPELINE),
    Refusal(
        "queue-in-arguments",
        "'{call}' is called inside the arguments of its batcher",
        "assign its result to a name, on a line of its own",
    ),
    Refusal(
        "seeded-join",
        "each of its lists draws its own seeded random numbers",
        "leave the seeds out, or use tf.train.batch",
    ),
    Refusal(
        "drawn-once",
        "'{name}' was drawn again for each use, but would be drawn only once here",
        "draw it in the statement that uses it",
    ),
    Refusal(
        "read-once",
        "'{name}' was read again for each record, but would be read only once here",
        "assign only the variable to a name, and compute with it in the statement that uses the record",
    ),
)
