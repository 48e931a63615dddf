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
    Refusal("starred-argument", "its arguments {given} are known only at run time", "write each as name=value"),
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
    Refusal(
        "seeded-order",
        "the seed of its producer decides an order, and whether the producer shuffles is known only when it runs",
        "leave that seed out, or write shuffle=True",
    ),
    Refusal(
        "compression-unknown",
        "it is unknown here how its files are compressed",
        "write tf.python_io.TFRecordOptions(...) in this call",
    ),
    Refusal("several-whole-files", "it reads several whole files at once", "read one at a time: reader.read(queue)"),
    Refusal("name-dataset", "something in it is called 'dataset' already", "use a different name"),
    Refusal(
        "not-batched",
        "it does not end in a batcher",
        "batch its tensors with tf.train.batch in this function, unless each is a batch already",
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
    Refusal("records-unknown", "it is unknown here where its records come from", "read them in this function", True),
    Refusal("graph-part", "'{call}' belongs to a graph", "move it out of the input function"),
    Refusal(
        "queue-use",
        "it uses a queue or a reader in a way that is not supported",
        _PLAIN_READ,
        follows=True,
    ),
    Refusal("no-translation", "'{call}' is a part of a pipeline that migrate does not translate in this form"),
    Refusal(
        "batch-of-function",
        "'{call}' returns a batch by itself, and this function passes it on",
        "call it where the session is run, and pass its batch to what uses it",
    ),
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
    Refusal(
        "read-once",
        "'{name}' was read again for each record, and here it would be read once",
        "assign the variable alone to a name, and compute with it in the statement that uses the record",
    ),
)
