"""What can go wrong, as data: the table of QC codes.

Rule 1: every message for a user comes from a row of ``CODES``; the row's code is a heading in
        ``migration_guide/errors.md`` and a test holds the two together.
Rule 2: a row says what, its effect, and what to do instead; ``errors.layout`` adds where.
"""

from __future__ import annotations

import dataclasses

__all__ = ["CODES", "Code"]


@dataclasses.dataclass(frozen=True)
class Code:
    """One row of the table. *what* may name fields in braces; *effect* and *instead* are fixed."""

    code: str
    what: str
    effect: str
    instead: str


_ABSENT = "TensorFlow 2's tf has no such attribute: AttributeError"
_NATIVE = "this pipeline runs on TensorFlow's own queues and threads: correct, but slower"

CODES = {
    row.code: row
    for row in (
        Code(
            "QC101",
            "'{call}' builds a queue pipeline, which needs a graph, but eager execution is on",
            "nothing was built",
            "replace 'import tensorflow as tf' with 'import queuecompat.v1 as tf'; or call it inside 'with "
            "tf.Graph().as_default():'",
        ),
        Code(
            "QC102",
            "'{call}' was called inside a tf.function, which would create, fill and close a queue on every call",
            "nothing was built",
            "build the pipeline outside the function and pass its tensors in",
        ),
        Code(
            "QC103",
            "QueueRunner got {given} in its {argument}, but in eager mode an op runs immediately: nothing is left for "
            "the runner to repeat",
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
            "the runner itself works, but no graph can be saved with it",
            "create the runner in the program that loads the graph",
        ),
        Code(
            "QC201",
            "cannot compile stage '{stage}': its tensors depend on the placeholder '{tensor}', which is fed at every "
            "step",
            _NATIVE,
            "batch first and use the placeholder after the batch; or replace it with tf.placeholder_with_default or a "
            "constant",
        ),
        Code(
            "QC202",
            "cannot compile stage '{stage}': its tensors come from '{tensor}' ({kind}), which cannot be compiled",
            _NATIVE,
            "build the input of this stage with queuecompat's functions, too",
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
            "remove that use if it is only for monitoring: explain() shows the buffers",
        ),
        Code(
            "QC207",
            "cannot compile stage '{stage}': {argument}={tensor} means empty batches",
            _NATIVE,
            "use a batch_size of at least 1",
        ),
        Code(
            "QC208",
            "cannot compile stage '{stage}': '{tensor}' is dequeued or read inside tf.cond or tf.while_loop, and so "
            "not once for each element",
            _NATIVE,
            "dequeue before the branch and choose between the results inside it, if each example may take an element "
            "every time",
        ),
        Code(
            "QC209",
            "cannot compile '{stage}' to a dataset: '{tensor}' is {what}",
            "this dataset runs the input function in a session of its own: correct, but slower",
            "fill the queue through tf.train.QueueRunner(queue, [queue.enqueue(...)]), or read with queuecompat's own "
            "functions",
        ),
        Code(
            "QC211",
            "cannot compile stage '{stage}': its states ('{tensor}') are saved by each training step, and a tf.data "
            "iterator cannot wait for that",
            _NATIVE,
            "nothing needs to be done: the pipeline that produces the examples is compiled",
        ),
        Code(
            "QC212",
            "cannot compile stage '{stage}': '{tensor}' is on {there} of the cluster, but the pipeline runs on {here}",
            _NATIVE,
            "create both under the same tf.device; tf.train.replica_device_setter puts variables on a parameter "
            "server, so create those that the input needs under the tf.device of the worker",
        ),
        Code(
            "QC301",
            "'{stage}' was run before its pipeline was started",
            "the run stops here (TF1 would wait forever)",
            "call tf.train.start_queue_runners(sess=sess) once, after the session is created and before this run; "
            "Supervisor and MonitoredTrainingSession do it themselves",
        ),
        Code(
            "QC302",
            "'{call}' was called after the graph was finalized",
            "nothing was built",
            "build every pipeline before Supervisor, MonitoredTrainingSession or graph.finalize() finalizes the graph",
        ),
        Code(
            "QC303",
            "'{stage}' can never produce an element: its source is empty (no rows, zero-size rows, or files without "
            "records), keep_input is False, or which_bucket is always out of range",
            "the run stops here (TF1 would wait forever)",
            "check what the source was made from; with num_epochs the pipeline would end instead",
        ),
        Code(
            "QC304",
            "'{stage}' has already started, and a new consumer would have to share its elements",
            "nothing was built",
            "build every consumer of a queue before start_queue_runners",
        ),
        Code(
            "QC305",
            "strict mode allows only compiled pipelines, and this one cannot be compiled: {reason}",
            "nothing was built",
            "{instead}; or turn strict mode off",
        ),
        Code(
            "QC306",
            "'{stage}' has produced nothing for {seconds} s while a step waits for it ({so_far}). It is waiting for "
            "{waits_for}",
            "the step keeps waiting; this message is printed once",
            "check what it is waiting for; queuecompat.explain() shows the whole pipeline",
        ),
        Code(
            "QC307",
            "the thread '{thread}' is waiting to enqueue into '{queue}', which is full; '{stage}' takes its elements "
            "from that queue, and nothing has been read from '{stage}' for 60 s",
            "the thread keeps waiting; this message is printed once",
            "if the training loop has ended, stop the thread: close the queue with cancel_pending_enqueues=True, and "
            "have the thread check coord.should_stop()",
        ),
        Code(
            "QC308",
            "'{stage}' was loaded from a saved graph, which does not contain the NumPy array that the pipeline reads",
            "the pipeline was not started",
            "build the pipeline with the program's own code and restore the variables into that graph; or import only "
            "the model from the saved graph, with an input_map for the batch",
        ),
        Code(
            "QC401",
            "{file}:{line} is Python 2: {what}",
            "the program was stopped here",
            "convert a copy of the program once: python -m pip install fissix; python -m fissix --write --nobackups "
            "{file}",
        ),
        Code(
            "QC501",
            "'{call}' creates a dataset for eager TensorFlow 2, but eager execution is off",
            "nothing was built",
            "call it outside of graphs and tf.functions, in a program that has not turned TensorFlow 2 behaviour off",
        ),
        Code(
            "QC502",
            "the input function returned {given}, which cannot be an element of a dataset",
            "nothing was built",
            "return a tensor, or any nesting of dicts, lists and tuples of tensors",
        ),
        Code(
            "QC503",
            "the input function returned {given}, a tensor {where}",
            "nothing was built",
            "return tensors that the input function itself computes from its queues; pass values from outside as "
            "NumPy arrays",
        ),
        Code(
            "QC504",
            "the input function needs a value that is fed at each step (a placeholder), and a dataset cannot be fed: "
            "{reason}",
            "nothing was built",
            "pass the value as an argument of the input function, or use tf.compat.v1.placeholder_with_default",
        ),
        Code(
            "QC505",
            "this pipeline cannot be written as a tf.data program: {what}",
            "no code is returned; the dataset itself still works",
            "print explain(dataset) for the plan, and write that part by hand",
        ),
        Code(
            "QC506",
            "explain() takes a graph or a dataset that as_dataset returned (with code=True only such a dataset), but "
            "got {given}",
            "nothing was explained",
            "call explain() on the dataset before further steps (map, take, ...) are applied to it; for a pipeline in "
            "a graph, move the code that builds it into a function and pass that to as_dataset",
        ),
        Code(
            "QC511",
            "'{name}' was not found: {why}",
            "AttributeError, or ImportError on import",
            "{instead}",
        ),
        Code(
            "QC512",
            "'queuecompat.v1' was imported in a program that uses TensorFlow 2's eager mode",
            "TensorFlow 1's names are there, but eager execution and the rest of TensorFlow 2's behaviour stay on",
            "call its input functions through queuecompat.as_dataset; in a TensorFlow 1 program, import queuecompat.v1 "
            "before TensorFlow 2 is used, or call disable_v2_behavior() of it",
        ),
        Code(
            "QC513",
            "{method}() got an endless dataset and no {argument}",
            "its first epoch never ends: TensorFlow 1's num_epochs=None repeats the data forever",
            "pass {argument}, pass queuecompat.steps(dataset, n), or give the producer num_epochs=1",
        ),
        Code(
            "QC514",
            "{wanted} cannot be imported as '{name}', because this program has already imported {present} as '{name}'",
            "the file was not imported",
            "{instead}",
        ),
        Code(
            "QC515",
            "as_dataset got the string {given!r}, which does not name a function",
            "nothing was built",
            "write 'module:function' or 'folder/file.py:function'",
        ),
        Code(
            "QC516",
            "steps() got {given} for count",
            "nothing was built",
            "pass the number of batches that one epoch is to have, at least 1",
        ),
        Code(
            "QC601",
            "BackgroundLoader got {given} for {argument}",
            "no loader was created",
            "pass {needed}",
        ),
        Code(
            "QC602",
            "the {what} {how} and cannot be used any more",
            "nothing is loaded",
            "create a new loader, or iterate inside its 'with' block, one iteration at a time",
        ),
        Code(
            "QC603",
            "the source has no items, and num_epochs=None would repeat it forever",
            "the iteration stops here (otherwise it would wait forever)",
            "check what the source was made from; with a number of epochs the iteration would end instead",
        ),
        Code(
            "QC604",
            "{what} needs to iterate over the source more than once, but the source is {given}, which allows that "
            "only once",
            "nothing was loaded",
            "pass a list, or an object whose __iter__ returns a new iterator each time",
        ),
        Code(
            "QC605",
            "load failed on {item} in epoch {epoch}: {raised}",
            "the iteration stops here; the batches before that item were delivered",
            "fix or remove the item; on_error='skip' continues without such items and lists them in loader.skipped",
        ),
        Code(
            "QC606",
            "the source failed during iteration: {raised}",
            "the iteration stops here; the batches before that were delivered",
            "see the cause, above; only errors that load itself raises can be skipped",
        ),
        Code(
            "QC607",
            "{item} returned {given}, but the first example, {model}, returned {other}; they cannot be batched "
            "together",
            "the iteration stops here",
            "return the same structure, shapes and dtypes for every item: crop, pad or convert in load",
        ),
        Code(
            "QC608",
            "{item} returned {given}, but the first example, {model}, returned {other}",
            "the iteration stops here",
            "let load always return, or always yield; for an item without an example it may yield nothing",
        ),
        Code(
            "QC609",
            "{count} different items have failed, which is more than max_errors={most}; the last was {last}: {raised}",
            "the iteration stops here",
            "look at loader.skipped; raise max_errors if so many failures are expected",
        ),
        Code(
            "QC610",
            "workers='processes' sends load and the source to other processes, but they cannot be pickled: {raised}",
            "no worker was started",
            "define load at the top level of a module, not as a lambda or inside a function, and keep open files and "
            "locks out of load and of the source; or use workers='threads'",
        ),
        Code(
            "QC611",
            "a worker process could not unpickle load or the source: {raised}",
            "the iteration stops here",
            "define load in a module that can be imported, not in a notebook, in python -c or in a program read from "
            "standard input; or use workers='threads'",
        ),
        Code(
            "QC612",
            "a worker process {how} while it was loading {item} in epoch {epoch}",
            "the iteration stops here; all workers are stopped",
            "check that item, and the memory: a process is often killed by the system because it used too much memory",
        ),
        Code(
            "QC613",
            "cannot allocate {needed} of shared memory; this loader already has {held}",
            "the iteration stops here",
            "reduce batch_size or capacity, or enlarge /dev/shm (docker run --shm-size=2g); or use workers='threads'",
        ),
        Code(
            "QC614",
            "a worker process imports the program when it starts, and this import would start workers again",
            "this worker process ends",
            "move the program's main code under 'if __name__ == \"__main__\":'",
        ),
        Code(
            "QC615",
            "a worker process {how} while it was starting; its error message is on standard error",
            "the iteration stops here",
            "move the program's main code under 'if __name__ == \"__main__\":', since each worker imports the "
            "program; a program read from standard input cannot be imported",
        ),
        Code(
            "QC616",
            "the loader was closed, but load had not returned from {items} after {seconds} s",
            "its thread keeps running until load returns or the program ends",
            "set a timeout on what load waits for; worker processes (workers='processes') can be stopped at any time",
        ),
        Code(
            "QC617",
            "the state does not match this loader: it {what}",
            "the loader's position has not changed",
            "pass what state_dict() of a loader with the same source and the same arguments returned",
        ),
        Code(
            "QC618",
            "load returns {given}, which cannot be converted to a tensor",
            "no dataset was created",
            "remove it from what load returns; or iterate over the loader itself, which returns any Python object",
        ),
        Code(
            "QC619",
            "the {what} of this loader is not known: {why}",
            "nothing was done",
            "count the batches while iterating, or do without it: a for loop needs no length",
        ),
        Code(
            "QC620",
            "none of the {count} items of epoch {epoch} produced an example{why}",
            "the iteration stops here (otherwise a model would be trained on nothing, or wait forever)",
            "check the paths and load; loader.skipped lists items that failed",
        ),
        Code(
            "QC621",
            "{place} is not a path and a label: {problem}",
            "nothing was built",
            "write a path and its label (a number, or several) on each line, separated by spaces: images/cat.jpg 3",
        ),
        Code(
            "QC622",
            "{list} contains no image",
            "nothing was built (a loader without images would never produce a batch)",
            "check the file; lines that begin with # are comments",
        ),
        Code(
            "QC623",
            "pair {number} of the images is {given}, not a path and a label",
            "nothing was built",
            "pass pairs like ('images/cat.jpg', 3), or the name of a text file with such lines",
        ),
        Code(
            "QC624",
            "cannot read '{path}': {why}",
            "no example is made from this image",
            "check the list: paths are relative to the list's folder, unless root= sets a different one; "
            "on_error='skip' skips such images",
        ),
        Code(
            "QC625",
            "cannot decode '{path}': {why}",
            "no example is made from this image",
            "download or write the file again, or remove it from the list; on_error='skip' skips such images",
        ),
        Code(
            "QC626",
            "no decoder is installed for '{path}', which is {kind}",
            "no example is made from this image",
            "python -m pip install {packages}",
        ),
        Code(
            "QC627",
            "'{path}' has {size} pixels, but the crop needs {crop}",
            "no example is made from this image",
            "use a smaller crop, or enlarge the image; small='pad' centres it and fills the rest with zeros",
        ),
        Code(
            "QC628",
            "'{path}' has {size} pixels, but the mean image has {mean}",
            "no example is made from this image",
            "resize all images to one size, or subtract one number per channel: mean='channels'",
        ),
        Code(
            "QC629",
            "there is no standard way to convert '{path}' to 8 bits per channel: {why}",
            "no example is made from this image",
            "convert it to 8 bits per channel yourself, in the way that suits your data",
        ),
        Code(
            "QC630",
            "ImageListLoader got {argument}={given}: {problem}",
            "nothing was built",
            "see its docstring: help(queuecompat.ImageListLoader)",
        ),
        Code(
            "QC631",
            "'{path}' has {size} pixels, more than max_pixels={most}",
            "it was not decoded, and no memory was allocated for it",
            "if the file is what it claims to be, pass a larger max_pixels, or None for any size{more}; "
            "on_error='skip' skips such images",
        ),
        Code(
            "QC632",
            "no batch was ready within timeout={seconds} s; being loaded: {items}",
            "the iteration stops here; worker processes are killed, and threads run until load returns",
            "check what load waits for (a network file system, a download, a lock), or pass a larger timeout",
        ),
        Code(
            "QC633",
            "no batch was ready for {seconds} s; being loaded: {items}",
            "the loader keeps waiting; this warning comes once per iteration",
            "check what load waits for; timeout= turns this into an error",
        ),
        Code(
            "QC634",
            "workers='processes' was used in a daemonic process, which may not start processes",
            "no worker was started",
            "use workers='threads' there, or start that process with daemon=False",
        ),
        Code(
            "QC635",
            "load ({where}) returned None for {item} in epoch {epoch}",
            "the iteration stops here",
            "return the example (a 'return' is often missing); for an item without an example, yield nothing, or raise "
            "an exception and pass on_error='skip'",
        ),
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
            "AttributeError",
            "{advice}",
        ),
        Code(
            "QC709",
            "'{call}' feeds an Estimator from a queue",
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
            "it was skipped",
            "fix it and run the command again",
        ),
        Code(
            "QC732",
            "this is Python 2: {hint}",
            "the file was skipped",
            "convert a copy of it first: python -m pip install fissix; python -m fissix --write --nobackups {file}",
        ),
        Code(
            "QC733",
            "this cannot be read: {problem}",
            "the file was skipped",
            "pass Python files and notebooks, in UTF-8 or in the encoding that they declare",
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
            "write 'queuecompat.v1' there by hand, if it has to be the same module as in the rest of the program",
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
            "use --to as-dataset, which takes any input function; explain() then shows its steps",
        ),
        Code(
            "QC745",
            "the rewrite would move code from one cell of this notebook to another",
            "the notebook was not changed",
            "put the pipeline and the loop into one cell and run the command again; or use --to v1",
        ),
        Code(
            "QC746",
            "'{call}' now returns a tf.data.Dataset, and it is not called in this file",
            "code in other files that expects tensors from it no longer works",
            "change its callers: 'for batch in {call}(...):'",
        ),
    )
}
