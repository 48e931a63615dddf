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


_ABSENT = "TensorFlow 2's tf has no such name: AttributeError"
_NATIVE = "this pipeline runs on TensorFlow's own queues and threads: right, but slower"

CODES = {
    row.code: row
    for row in (
        Code(
            "QC101",
            "'{call}' builds a queue pipeline, and queue pipelines live in a graph; eager execution is on",
            "nothing was built",
            "put 'import queuecompat.v1 as tf' where 'import tensorflow as tf' stood; or call it "
            "inside 'with tf.Graph().as_default():'",
        ),
        Code(
            "QC102",
            "'{call}' was called inside a tf.function, where a queue would be filled and closed on every call",
            "nothing was built",
            "build the pipeline outside the function and pass its tensors in",
        ),
        Code(
            "QC103",
            "QueueRunner got {given} among its {argument}, and eager execution is on: an op has run by the time "
            "that a runner gets it",
            "nothing was built",
            "give a function that does it anew at each call: QueueRunner(queue, [lambda: queue.enqueue(load())])",
        ),
        Code(
            "QC104",
            "QueueRunner got the Python function {given} among its {argument}, and a graph is being built: a runner "
            "of a graph runs ops",
            "nothing was built",
            "give the op that queue.enqueue(...) returns, with tf.py_func around the Python code; or make queue and "
            "runner in eager mode",
        ),
        Code(
            "QC105",
            "the QueueRunner of '{queue}' runs Python functions, and these have no proto",
            "the runner itself works; no graph can be saved with it",
            "make the runner anew in the program that loads the graph",
        ),
        Code(
            "QC201",
            "cannot compile stage '{stage}': its tensors depend on the placeholder '{tensor}', fed at every step",
            _NATIVE,
            "batch first and use the placeholder after it; or give it a default or a constant",
        ),
        Code(
            "QC202",
            "cannot compile stage '{stage}': its tensors come from '{tensor}' ({kind}), which is not compiled",
            _NATIVE,
            "build the stage before it with queuecompat's functions too",
        ),
        Code(
            "QC203",
            "cannot compile stage '{stage}': its {argument} is the tensor '{tensor}', known only at each step",
            _NATIVE,
            "give {argument} as a number, or slice the batch after it",
        ),
        Code(
            "QC204",
            "cannot compile stage '{stage}': shared_name='{tensor}' lets other sessions and graphs use its queue",
            _NATIVE,
            "leave shared_name out unless two programs really share the queue",
        ),
        Code(
            "QC206",
            "cannot compile stage '{stage}': the program itself uses its {kind}: {call}, at {place}",
            _NATIVE,
            "remove that use if it was only for curiosity: explain() shows the buffers",
        ),
        Code(
            "QC207",
            "cannot compile stage '{stage}': {argument}={tensor} asks for empty batches",
            _NATIVE,
            "give a batch_size of at least 1",
        ),
        Code(
            "QC208",
            "cannot compile stage '{stage}': '{tensor}' is drawn inside tf.cond or tf.while_loop, not for each element",
            _NATIVE,
            "draw before the branch and choose inside it, if each element may be drawn every time",
        ),
        Code(
            "QC209",
            "cannot compile '{stage}' to a dataset: '{tensor}' is {what}",
            "this dataset runs the input function in a session of its own: right, but slower",
            "fill the queue through tf.train.QueueRunner(queue, [queue.enqueue(...)]), or read with queuecompat's own "
            "functions",
        ),
        Code(
            "QC211",
            "cannot compile stage '{stage}': its states ('{tensor}') come back from each training step, which no "
            "tf.data iterator can wait for",
            _NATIVE,
            "nothing has to be done: what the examples are made from is compiled all the same",
        ),
        Code(
            "QC212",
            "cannot compile stage '{stage}': '{tensor}' is on {there} of the cluster, and the pipeline runs on {here}",
            _NATIVE,
            "make both under one tf.device; tf.train.replica_device_setter puts variables on a parameter server, so "
            "make those that the input needs under tf.device of the worker",
        ),
        Code(
            "QC301",
            "'{stage}' was run before its pipeline was started",
            "the run stops here (in TF1 it would wait forever)",
            "call tf.train.start_queue_runners(sess=sess) once, after the session is made and "
            "before this run; Supervisor and MonitoredTrainingSession do it themselves",
        ),
        Code(
            "QC302",
            "'{call}' was called after the graph was finalized",
            "nothing was built",
            "build every pipeline before Supervisor, MonitoredTrainingSession or graph.finalize() closes the graph",
        ),
        Code(
            "QC303",
            "'{stage}' has nothing to give: no rows, rows without content, files without a single record, "
            "keep_input=False, or a which_bucket that is no bucket's",
            "the run stops here (in TF1 it would wait forever)",
            "check what the list was made from; with num_epochs the pipeline ends instead",
        ),
        Code(
            "QC304",
            "'{stage}' has started, and now gets another consumer that would share its elements",
            "nothing was built",
            "build every consumer of a queue before start_queue_runners",
        ),
        Code(
            "QC305",
            "in strict mode no pipeline runs natively, and this one cannot be compiled: {reason}",
            "nothing was built",
            "{instead}; or leave strict mode",
        ),
        Code(
            "QC306",
            "'{stage}' has delivered nothing for {seconds} s while a step waits for it ({so_far}). It waits for "
            "{waits_for}",
            "the step goes on waiting; this is said once",
            "look after that source; queuecompat.explain() shows the whole pipeline",
        ),
        Code(
            "QC307",
            "the thread '{thread}' waits to put something into '{queue}', which is full; '{stage}' draws from it, and "
            "nobody has asked that for anything for a minute",
            "the thread goes on waiting; this is said once",
            "if the training loop has ended, stop the thread: close the queue with cancel_pending_enqueues=True, and "
            "have the thread ask coord.should_stop()",
        ),
        Code(
            "QC308",
            "'{stage}' comes out of a saved graph, and the NumPy array that it reads was never in that graph",
            "the pipeline was not started",
            "build the pipeline with the program's own code and restore the variables into that; or take the model "
            "alone out of the saved graph, with an input_map for the batch",
        ),
        Code(
            "QC401",
            "{file}:{line} is Python 2: {what}",
            "the program was not run any further",
            "convert a copy of the program once: python -m pip install fissix; python -m fissix --write --nobackups "
            "{file}",
        ),
        Code(
            "QC501",
            "'{call}' makes a dataset for eager TensorFlow 2, and eager execution is off",
            "nothing was built",
            "call it outside of graphs and tf.functions, in a program that has not turned TensorFlow 2 behaviour off",
        ),
        Code(
            "QC502",
            "the input function returned {given}, which no dataset can give",
            "nothing was built",
            "return tensors: alone or in any nesting of dicts, lists and tuples",
        ),
        Code(
            "QC503",
            "the input function returned {given}, a tensor {where}",
            "nothing was built",
            "return tensors that the input function itself computes from its queues; give values from outside as "
            "NumPy arrays",
        ),
        Code(
            "QC504",
            "the input function wants to be fed, and nobody can feed a dataset: {reason}",
            "nothing was built",
            "give the value as an argument of the input function, or use tf.compat.v1.placeholder_with_default",
        ),
        Code(
            "QC505",
            "this pipeline cannot be written as a tf.data program: {what}",
            "there is no code; the dataset itself is not touched",
            "print explain(dataset) for the plan, and write that part by hand",
        ),
        Code(
            "QC506",
            "explain() takes a dataset that as_dataset gave, or a graph; with code=True only such a dataset. "
            "It got {given}",
            "nothing was explained",
            "explain the dataset before further steps (map, take, ...) are put on it; for a pipeline in a graph, "
            "wrap what builds it in a function and give that to as_dataset",
        ),
        Code(
            "QC601",
            "BackgroundLoader got {given} for {argument}",
            "no loader was made",
            "give {needed}",
        ),
        Code(
            "QC602",
            "the {what} {how}, and is used again",
            "nothing is loaded",
            "make a new loader, or iterate inside its 'with' block, one iteration at a time",
        ),
        Code(
            "QC603",
            "the source has no items, and num_epochs=None repeats them without end",
            "the iteration stops here (it would wait forever)",
            "check what the source was made from; with a number of epochs the iteration ends instead",
        ),
        Code(
            "QC604",
            "{what} needs the source's items more than once, and the source is {given}, which gives them once",
            "nothing was loaded",
            "give a list, or an object whose __iter__ begins anew each time",
        ),
        Code(
            "QC605",
            "load failed on {item} in epoch {epoch}: {raised}",
            "the iteration stops here; the batches before that item were given",
            "mend or leave out the item; on_error='skip' goes on without such items and lists them in loader.skipped",
        ),
        Code(
            "QC606",
            "the source failed while it was iterated over: {raised}",
            "the iteration stops here; the batches before that were given",
            "look at the cause, above; only what load itself raises can be skipped",
        ),
        Code(
            "QC607",
            "{item} gave {given}, and {model} gave {other}: they do not fit into one batch",
            "the iteration stops here",
            "return the same structure, shapes and dtypes for every item: crop, pad or convert in load",
        ),
        Code(
            "QC608",
            "{item} gave {given}, and {model} gave {other}",
            "the iteration stops here",
            "let load always return, or always yield; an item that has nothing to give may yield nothing",
        ),
        Code(
            "QC609",
            "{count} different items have failed, and max_errors={most}; the last was {last}: {raised}",
            "the iteration stops here",
            "look at loader.skipped; raise max_errors if so many are to be expected",
        ),
        Code(
            "QC610",
            "workers='processes' sends load and the source to other processes, and they cannot be pickled: {raised}",
            "no worker was started",
            "define load at the top of a module, not as a lambda or inside a function, and keep open files and "
            "locks out of it and of the source; or use workers='threads'",
        ),
        Code(
            "QC611",
            "a worker process could not find what it was to run: {raised}",
            "the iteration stops here",
            "define load in a module that can be imported; a notebook, python -c and a program read from standard "
            "input are none. Or use workers='threads'",
        ),
        Code(
            "QC612",
            "a worker process {how}, while it loaded {item} in epoch {epoch}",
            "the iteration stops here; all workers are ended",
            "look at that item, and at the memory: a process that the system kills has often used too much of it",
        ),
        Code(
            "QC613",
            "there is no room for {needed} of shared memory; this loader has {held} of it",
            "the iteration stops here",
            "make batch_size or capacity smaller, or /dev/shm larger (docker run --shm-size=2g); or use "
            "workers='threads'",
        ),
        Code(
            "QC614",
            "a worker process that is being started runs the program from its top, and would start workers itself",
            "this worker process ends",
            "put what the program does below 'if __name__ == \"__main__\":'",
        ),
        Code(
            "QC615",
            "a worker process {how} while it was starting; what it said is on standard error",
            "the iteration stops here",
            "put what the program does below 'if __name__ == \"__main__\":', since each worker imports the program; "
            "a program read from standard input cannot be imported",
        ),
        Code(
            "QC616",
            "the loader was closed, and load has not returned from {items} for {seconds} s",
            "its thread is left behind; it ends when load returns, or with the program",
            "give what load waits for a time limit; processes (workers='processes') can be ended at any time",
        ),
        Code(
            "QC617",
            "the state does not fit this loader: it {what}",
            "the loader stands where it stood",
            "give what state_dict() of a loader with the same source and the same arguments returned",
        ),
        Code(
            "QC618",
            "load gives {given}, and no tensor can hold that",
            "no dataset was made",
            "leave it out of what load returns; or iterate over the loader itself, which gives any Python object",
        ),
        Code(
            "QC619",
            "the {what} of this loader is not known: {why}",
            "nothing was done",
            "count what comes, or do without it: a for loop needs no length",
        ),
        Code(
            "QC621",
            "{place} is no path and label: {problem}",
            "nothing was built",
            "write a path and its number, or numbers, on each line, separated by blanks: images/cat.jpg 3",
        ),
        Code(
            "QC622",
            "{list} names no image",
            "nothing was built (a loader without images would never give a batch)",
            "check the file; lines that begin with # do not count",
        ),
        Code(
            "QC623",
            "pair {number} of the images is {given}, not a path and a label",
            "nothing was built",
            "give pairs like ('images/cat.jpg', 3), or the name of a text file with such lines",
        ),
        Code(
            "QC624",
            "cannot read '{path}': {why}",
            "this image gives no example",
            "check the list: paths are relative to its own folder, unless root= names another; on_error='skip' leaves "
            "such images out",
        ),
        Code(
            "QC625",
            "cannot decode '{path}': {why}",
            "this image gives no example",
            "fetch or write the file anew, or take it off the list; on_error='skip' leaves such images out",
        ),
        Code(
            "QC626",
            "no decoder is installed for '{path}', which is {kind}",
            "this image gives no example",
            "python -m pip install {packages}",
        ),
        Code(
            "QC627",
            "'{path}' has {size} pixels, and the crop has {crop}",
            "this image gives no example",
            "take a smaller crop, or enlarge the image; small='pad' puts it in the middle of zeros",
        ),
        Code(
            "QC628",
            "'{path}' has {size} pixels, and the mean image has {mean}",
            "this image gives no example",
            "bring all images to one size, or subtract one number a channel: mean='channels'",
        ),
        Code(
            "QC629",
            "'{path}' has no defined result: {why}",
            "this image gives no example",
            "convert it to 8 bits a channel, in the way that suits your data",
        ),
        Code(
            "QC630",
            "ImageListLoader got {argument}={given}: {problem}",
            "nothing was built",
            "see its docstring: help(queuecompat.ImageListLoader)",
        ),
        Code(
            "QC701",
            "'{call}' builds a queue pipeline",
            _ABSENT,
            "{advice}",
        ),
        Code(
            "QC702",
            "'{call}' reads records off a queue of file names",
            _ABSENT,
            "{advice}",
        ),
        Code(
            "QC703",
            "'{call}' has to do with the threads that fill queues",
            _ABSENT,
            "{advice}",
        ),
        Code(
            "QC704",
            "'{call}' is a queue that the program fills itself",
            "tf has no such name in TensorFlow 2; tf.queue has it, and starts no threads for it",
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
            "'{call}' is of tf.contrib",
            "TensorFlow 2 has no tf.contrib: AttributeError, or ModuleNotFoundError where it is imported",
            "{advice}",
        ),
        Code(
            "QC707",
            "'{call}' is nowhere in TensorFlow 2, and queuecompat has no replacement",
            "AttributeError, or ModuleNotFoundError where it is imported; under queuecompat.v1, too",
            "{advice}",
        ),
        Code(
            "QC708",
            "'{call}' has another name in TensorFlow 2",
            "AttributeError",
            "{advice}",
        ),
        Code(
            "QC709",
            "'{call}' feeds an Estimator from a queue",
            "TensorFlow has no estimators since 2.16: AttributeError",
            "{advice}",
        ),
        Code(
            "QC710",
            "'{call}' makes an iterator of TensorFlow 1",
            "the datasets of TensorFlow 2 have no such method: AttributeError",
            "{advice}",
        ),
        Code(
            "QC711",
            "'{call}' was renamed, and raises all the same: eager execution is on",
            "RuntimeError or ValueError, 'Input pipelines based on Queues are not supported'",
            "{advice}",
        ),
        Code(
            "QC712",
            "'{call}' runs in a graph here, on TensorFlow's own queues",
            "it works, through Python threads and locked queues: slowly, and a forgotten call hangs",
            "{advice}",
        ),
        Code(
            "QC721",
            "'{call}' is called in '{function}', which is mapped over a dataset",
            "it runs once, while the function is traced: every element and every epoch gets the same number",
            "tf.random.uniform and its like; or tf.numpy_function around the Python code",
        ),
        Code(
            "QC722",
            "'.shuffle({given})': a pool of min_after_dequeue elements",
            "it mixes less than shuffle_batch did, whose pool held up to capacity elements",
            ".shuffle(capacity)",
        ),
        Code(
            "QC723",
            "'{call}' gets the list {given}",
            "a list becomes one tensor: it is stacked, or a ValueError where shapes or types differ",
            "a tuple, {tuple}: a dataset of pairs",
        ),
        Code(
            "QC724",
            "'.cache()' comes after '{function}', which draws random numbers ('{call}')",
            "what was drawn in the first epoch comes again in all later ones",
            "put .cache() before the random step",
        ),
        Code(
            "QC725",
            "'.batch({given})' keeps the last, smaller batch; tf.train.batch dropped it",
            "one more step an epoch, and batches of unknown static size",
            ".batch({given}, drop_remainder=True)",
        ),
        Code(
            "QC731",
            "this is no Python: {problem}",
            "the file was left as it is",
            "correct it, and start again",
        ),
        Code(
            "QC732",
            "this is Python 2: {hint}",
            "the file was left as it is",
            "convert a copy of it first: python -m pip install fissix; python -m fissix --write --nobackups {file}",
        ),
        Code(
            "QC733",
            "this cannot be read: {problem}",
            "the file was left as it is",
            "give Python files and notebooks, in UTF-8 or in the encoding that they declare",
        ),
        Code(
            "QC741",
            "this file uses '{call}', which is of TensorFlow 2",
            "its imports were left as they are: queuecompat.v1 turns TensorFlow 2 behaviour off",
            "queuecompat.as_dataset for its input functions: --to as-dataset",
        ),
        Code(
            "QC742",
            "'{call}' imports TensorFlow by a string",
            "it was left as it is",
            "write 'queuecompat.v1' there by hand, if it has to be the same module",
        ),
        Code(
            "QC743",
            "this is not of the shape that can be rewritten: {reason}",
            "the file goes on as it was, with a comment at this place",
            "rewrite the rest by hand, with @queuecompat.input_pipeline on the input function; or stay with --to v1",
        ),
        Code(
            "QC744",
            "this pipeline cannot be written in tf.data by rule: {reason}",
            "the file goes on as it was, with a comment at this place",
            "--to as-dataset, which takes any input function; explain() shows the steps of it",
        ),
        Code(
            "QC745",
            "the rewrite would move code from one cell of this notebook to another",
            "the notebook was left as it was",
            "put the pipeline and the loop into one cell, and start again; or --to v1",
        ),
        Code(
            "QC746",
            "'{call}' gives a dataset now, and nobody in this file calls it",
            "code in other files that expects tensors of it does not work any more",
            "write 'for batch in {call}(...):' there",
        ),
    )
}
