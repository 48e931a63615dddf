"""QC701 to QC799: what ``check`` finds, and what ``migrate`` leaves."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

_ABSENT = "TensorFlow 2's tf has no such attribute: AttributeError"

ROWS = (
    Code(
        "QC701",
        "'{call}' builds a queue pipeline",
        _ABSENT,
        "{advice}",
    ),
    Code(
        "QC702",
        "'{call}' reads records from a queue of file names",
        _ABSENT,
        "{advice}",
    ),
    Code(
        "QC703",
        "'{call}' manages the threads that fill queues",
        _ABSENT,
        "{advice}",
    ),
    Code(
        "QC704",
        "'{call}' is a queue that the program fills itself",
        "in TensorFlow 2 it is in tf.queue, and nothing there starts threads that fill it",
        "{advice}",
    ),
    Code(
        "QC705",
        "'{call}' starts the queues of a graph",
        _ABSENT,
        "{advice}",
    ),
    Code(
        "QC706",
        "'{call}' is part of tf.contrib",
        "TensorFlow 2 has no tf.contrib: AttributeError, or ModuleNotFoundError on import",
        "{advice}",
    ),
    Code(
        "QC707",
        "'{call}' was removed from TensorFlow 2, and queuecompat has no replacement",
        "AttributeError, or ModuleNotFoundError on import; also under queuecompat.v1",
        "{advice}",
    ),
    Code(
        "QC708",
        "'{call}' has a different name in TensorFlow 2",
        "TensorFlow 2's tf has only the new name: AttributeError",
        "{advice}",
    ),
    Code(
        "QC709",
        "this uses tf.estimator: '{call}'{more}",
        "TensorFlow removed estimators in version 2.16: AttributeError",
        "{advice}",
    ),
    Code(
        "QC710",
        "'{call}' creates a TensorFlow 1 iterator",
        "TensorFlow 2's datasets have no such method: AttributeError",
        "{advice}",
    ),
    Code(
        "QC711",
        "'{call}' was renamed, but still fails because eager execution is on",
        "RuntimeError or ValueError, 'Input pipelines based on Queues are not supported'",
        "{advice}",
    ),
    Code(
        "QC712",
        "'{call}' runs in a graph here, on TensorFlow's own queues",
        "it works, but slowly, through Python threads and locked queues; without start_queue_runners it hangs",
        "{advice}",
    ),
    Code(
        "QC713",
        "TensorFlow 2 lacks '{call}'{more}",
        _ABSENT,
        "rename them with tf_upgrade_v2, which is installed with TensorFlow: tf_upgrade_v2 --infile OLD.py --outfile "
        "NEW.py",
    ),
    Code(
        "QC716",
        "{owner} no longer has '{call}'",
        "an error, or a different result, on current versions",
        "use {instead}",
    ),
    Code(
        "QC721",
        "'{call}' is called in '{function}', which is mapped over a dataset",
        "it runs only once, while the function is traced: every element and every epoch gets the same number",
        "use tf.random.uniform or a similar op; or wrap the Python code in tf.numpy_function",
    ),
    Code(
        "QC722",
        "'.shuffle({given})' makes a shuffle buffer of min_after_dequeue elements",
        "it shuffles less than shuffle_batch did, whose buffer held up to capacity elements",
        "use .shuffle(capacity)",
    ),
    Code(
        "QC723",
        "'{call}' gets the list {given}",
        "tf.data converts a list to one tensor: the values are stacked, or a ValueError is raised where shapes or "
        "types differ",
        "pass a tuple, {tuple}, which makes a dataset of pairs",
    ),
    Code(
        "QC724",
        "'.cache()' comes after '{function}', which draws random numbers ('{call}')",
        "the random numbers of the first epoch are repeated in every later epoch",
        "move .cache() before the random step",
    ),
    Code(
        "QC725",
        "'.batch({given})' keeps the last, smaller batch; tf.train.batch dropped it",
        "one more step per epoch, and batches of unknown static size",
        "use .batch({given}, drop_remainder=True)",
    ),
    Code(
        "QC731",
        "this is not valid Python: {problem}",
        "the file or cell was skipped",
        "correct this line and run the command again",
    ),
    Code(
        "QC732",
        "this is Python 2: {hint}",
        "the file was skipped",
        "convert it first (the old file is kept as .bak): python -m pip install fissix; python -m fissix --write "
        "{file}",
    ),
    Code(
        "QC733",
        "this cannot be read: {problem}",
        "the file was skipped",
        "pass Python files and notebooks, in UTF-8 or in the encoding that they declare",
    ),
    Code(
        "QC734",
        "this symbolic link leads out of the given folders, to '{target}'",
        "it was not followed",
        "if it belongs to the program, add that path to the command",
    ),
    Code(
        "QC735",
        "this cannot be written: {problem}",
        "all files stay as they were",
        "make room or change the permissions, and run the command again",
    ),
    Code(
        "QC714",
        "the session here is kept, in a graph: {reason}",
        "its input functions were rewritten; the program imports queuecompat.v1, and plain 'python' runs it",
        "for an eager program, change that and run the command again",
    ),
    Code(
        "QC715",
        "this pipeline keeps its queues: {reason}",
        "it runs compiled, as before, because its program imports queuecompat.v1",
        "change that and run the command again",
    ),
    Code(
        "QC741",
        "this file uses '{call}', which belongs to TensorFlow 2",
        "its imports were not changed, because queuecompat.v1 turns TensorFlow 2 behaviour off",
        "use queuecompat.as_dataset for its input functions: --to as-dataset",
    ),
    Code(
        "QC742",
        "'{call}' imports TensorFlow by a name in a string",
        "it was not changed",
        "if it should be the same module as in the rest of the program, write 'queuecompat.v1' there by hand",
    ),
    Code(
        "QC743",
        "cannot rewrite this automatically: {reason}",
        "the file was not changed, except for a comment at this place",
        "rewrite the rest by hand, with @queuecompat.input_pipeline on the input function; or use --to v1",
    ),
    Code(
        "QC744",
        "cannot rewrite this pipeline in tf.data automatically: {reason}",
        "the file was not changed, except for a comment at this place",
        "try --to as-dataset, which rewrites more forms of input functions; explain() then shows its steps",
    ),
    Code(
        "QC745",
        "the rewrite would move code from one cell of this notebook to another",
        "the notebook was not changed",
        "put the pipeline and the loop into one cell and run the command again; or use --to v1",
    ),
    Code(
        "QC746",
        "'{call}' now returns a tf.data.Dataset, and the files that were read do not call it",
        "other code that expects tensors from it no longer works",
        "change its callers: 'for batch in {call}(...):'",
    ),
    Code(
        "QC747",
        "under '{call}', random ops without a seed of their own may draw different numbers than before",
        "their seeds depend on how many ops were built before them, which a dataset may change: initial values, "
        "dropout and shuffling may differ from before, but are the same in every run",
        "to keep their numbers, pass seed= to those ops, or use --to as-dataset",
    ),
)
