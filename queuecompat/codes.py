"""What can go wrong, as data: the table of QC codes.

Rule 1: every message for a user comes from a row of ``CODES``; the row's code is a heading in
        ``migration_guide/errors.md`` and a test holds the two together.
Rule 2: a row says what, its effect, and what to do instead; ``errors.layout`` adds where.
"""

from __future__ import annotations

import dataclasses

from queuecompat import codes_of_loader

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
            "this dataset runs its pipeline in a session of its own: correct, but slower",
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
            "QC213",
            "cannot compile what fills the queue '{stage}': {why}",
            "its QueueRunner fills it as in TensorFlow 1, one element a session.run",
            "nothing needs to be done for it to work; for more speed, {instead}",
        ),
        Code(
            "QC214",
            "the program runs '{op}', which the QueueRunner of '{queue}' runs as well, and the pipeline before it has "
            "started without knowing that",
            "the run stops here: elements would come twice",
            "build tf.group({op}) before the pipelines are started, and run that; or leave the op to its QueueRunner",
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
            "QC309",
            "{kind} ({place}) runs per example: {why}",
            "TensorFlow starts it, and what it needs, once for each example and not once for each batch: the same "
            "elements, but slower if they are small",
            "nothing has to be done; if reading limits your training, move that op after the batch",
        ),
        Code(
            "QC310",
            "'{stage}' has produced nothing for {seconds} s while the program waits for its next element. It is "
            "waiting for {waits_for}",
            "the program keeps waiting; this message is printed once for an iterator",
            "check what it is waiting for; queuecompat.explain() shows the whole pipeline",
        ),
        Code(
            "QC311",
            "this process was forked from process {parent}, in which a session had run; no session can run in it",
            "the step is refused: TensorFlow would wait forever for threads that are only in that process",
            "start worker processes with multiprocessing.get_context('spawn'), or fork before the first session.run",
        ),
        Code(
            "QC312",
            "'{stage}' was cut off by a step that was cancelled while it waited for the next element ({cause})",
            "the pipeline delivers nothing more in this session; what it held is lost",
            "give such a step more time, or none that is limited (RunOptions.timeout_in_ms, "
            "ConfigProto.operation_timeout_in_ms), and do not fetch what may fail beside a batch; a "
            "MonitoredTrainingSession starts again by itself, from its last checkpoint",
        ),
        Code(
            "QC330",
            "more than max_errors={most} elements of '{stage}' failed; the last was {place}",
            "the run stops here",
            "look at the list of what was skipped (queuecompat.report() or run --report); raise max_errors if so many "
            "failures are expected",
        ),
        Code(
            "QC331",
            "'{stage}' cannot be read in a global order or in parts: {why}",
            "its data keep TensorFlow 1's order; where a shard was asked for, this is an error",
            "use uncompressed TFRecords, lines or records of fixed length, and pass their names only to readers; or "
            "build this pipeline outside of the block that chooses the order",
        ),
        Code(
            "QC332",
            "'{path}' ends within the head of a record, which begins at byte {offset}: the file was cut",
            "its records before that have been read; TensorFlow's own reader would say nothing of the missing ones",
            "copy or write the file again; on_error='skip' reads what is whole, and lists the file",
        ),
        Code(
            "QC333",
            "the records of '{path}' cannot be found: it is not a file of this machine",
            "a global order, and parts of the data, need an index of the records, which is made from local files",
            "copy or mount the files",
        ),
        Code(
            "QC334",
            "on_error='skip' was chosen for '{stage}', which runs on TensorFlow's own queues and skips nothing",
            "the first element that fails there ends the run, as in TensorFlow 1",
            "make it one that compiles (the other warning about it says how), or catch the error in your own ops",
        ),
        Code(
            "QC335",
            "every element of '{stage}' fails: {count} in a row, again and again the same ones; the last was {place}",
            "the run stops here, where on_error='skip' would have read them forever",
            "look at the list of what was skipped (queuecompat.report() or run --report): a reason that is the same "
            "for all is a wrong parser, a wrong file, or a changed format",
        ),
        Code(
            "QC340",
            "nothing of '{stage}' can be kept in its cache: {why}",
            "every epoch makes its elements again, as without a cache",
            "put the ops whose results are the same in every epoch before those that draw or call Python; or build "
            "this pipeline outside of the block that chooses the cache",
        ),
        Code(
            "QC341",
            "the cache folder '{folder}' cannot be used: {why}",
            "nothing was built",
            "name a folder on a local disk in which this user may write",
        ),
        Code(
            "QC342",
            "the cache file '{path}' is damaged: {why}",
            "the run stops here, as some of its elements may have been used",
            "start again: a file with a wrong checksum was removed, and its elements are made again",
        ),
        Code(
            "QC350",
            "the position of '{stage}' cannot be restored: {why}",
            "a restored program reads this pipeline from the beginning",
            "draw one batch from each pipeline, and let its own calls fill the queues; or build this pipeline outside "
            "of the block that chooses checkpoint=True",
        ),
        Code(
            "QC351",
            "the checkpoint has no position of '{stage}'",
            "everything else is restored, and this pipeline begins from the beginning",
            "none is needed for a checkpoint from before the option was chosen, or from a different program",
        ),
        Code(
            "QC352",
            "the checkpoint has a position of a different pipeline than '{stage}' is now",
            "the pipeline goes on after as many batches, which were different ones",
            "restore with the batch size, capacity, seeds, reader and ops that the checkpoint was saved with",
        ),
        Code(
            "QC353",
            "'{stage}' finds its position by computing elements again: {why}",
            "restoring takes as long as these elements did; a Python function is called again for each",
            "leave out what stands in the way, or allow for the time",
        ),
        Code(
            "QC354",
            "the random numbers of '{stage}' do not follow from its records: {why}",
            "its random ops draw as without random='by_index'",
            "let the ops that draw take single records, out of files or arrays, without a seed; or build this pipeline "
            "outside of the block that chooses random='by_index'",
        ),
        Code(
            "QC360",
            "'{stage}' is not computed by the workers of the tf.data service: {why}",
            "this process computes it: correct, but the service does not make it faster",
            "move that to the training step, after the batch, or make it of TensorFlow's ops; or choose the "
            "service only for other pipelines: with queuecompat.options(data_service=...)",
        ),
        Code(
            "QC361",
            "no dispatcher of a tf.data service has answered at {address} for {seconds} s ({why})",
            "nothing was started",
            "start one there with 'python -m queuecompat serve --dispatcher --port {port}', and check the address, the "
            "port and the firewall between the machines",
        ),
        Code(
            "QC401",
            "{file}:{line} is Python 2: {what}",
            "the program was stopped here",
            "convert it once, which keeps the old file beside it as .bak: python -m pip install fissix; "
            "python -m fissix --write {file}",
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
            "explain() takes a graph or its tensors, or a dataset that as_dataset or dataset_from_meta_graph returned "
            "(with code=True only such a dataset), but got {given}",
            "nothing was explained",
            "call explain() on the dataset before further steps (map, take, ...) are applied to it; for a pipeline in "
            "a graph, move the code that builds it into a function and pass that to as_dataset",
        ),
        Code(
            "QC507",
            "the input function uses a tensor or a variable of eager mode: {raised}",
            "nothing was built",
            "pass it as a NumPy array or a number (tensor.numpy()), or make it inside of the input function",
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
            "QC517",
            "{path} cannot be read as a saved graph of TensorFlow 1: {why}",
            "nothing was built",
            "pass the .meta file that tf.train.Saver wrote beside a checkpoint, or that tf.train.export_meta_graph "
            "wrote",
        ),
        Code(
            "QC518",
            "{what} names '{name}', which is not a tensor of {path}",
            "nothing was built",
            "pass names like those of the tensors that are taken from its queues, or similar ones: {names}",
        ),
        Code(
            "QC519",
            "the saved graph needs '{op}', and this TensorFlow does not have its op {op_type}",
            "nothing was built",
            "load the library of that op first (tf.load_op_library); or pass feeds with a value for what it outputs",
        ),
        Code(
            "QC520",
            "the saved graph calls a Python function ('{op}'), and a graph does not contain the code of such functions",
            "nothing was built",
            "fetch tensors before that op and call the function in dataset.map(); or build the pipeline again with its "
            "Python code, in an input function for as_dataset",
        ),
        Code(
            "QC521",
            "dataset_from_meta_graph cannot use feeds: {problem}",
            "nothing was built",
            "pass a dict from names ('input_producer/Const:0') to values, each of the type and the shape of its tensor",
        ),
        Code(
            "QC522",
            "what is fetched needs '{variable}', a variable that was trained: its value is in a checkpoint, not in the "
            "graph",
            "nothing was built",
            "fetch the input of the model (a batch from a queue), and compute the model itself in TensorFlow 2; or "
            "pass the value in feeds",
        ),
        Code(
            "QC523",
            "nothing in the saved graph fills the queue '{queue}'",
            "nothing was built (a session would wait for its first element forever)",
            "fetch tensors that come from other queues, or pass feeds with values for what is dequeued from this one",
        ),
        Code(
            "QC530",
            "queuecompat has no option '{name}'",
            "nothing was built",
            "{instead}",
        ),
        Code(
            "QC531",
            "the option {name} cannot be {given}",
            "nothing was built",
            "pass {wanted}",
        ),
        Code(
            "QC540",
            "'{stage}' is not compiled, because the program was started to be run on TensorFlow's own queues",
            _NATIVE,
            "nothing needs to be done: 'run --compare' starts a program so, to compare the other run with",
        ),
        Code(
            "QC541",
            "%%queuecompat runs a cell as a TensorFlow 1 program, but this kernel has used TensorFlow 2's eager mode",
            "the cell was not run",
            "restart the kernel and run this cell before those of TensorFlow 2; or keep the kernel eager, and pass the "
            "input function to queuecompat.as_dataset",
        ),
        *(Code(*texts) for texts in codes_of_loader.ROWS),
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
            "QC713",
            "TensorFlow 2 lacks '{call}'{more}",
            _ABSENT,
            "tf_upgrade_v2 knows the new names",
        ),
        Code(
            "QC716",
            "NumPy has no '{call}' any more",
            "an AttributeError with NumPy 2, also under queuecompat",
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
            "it was skipped",
            "fix it and run the command again",
        ),
        Code(
            "QC732",
            "this is Python 2: {hint}",
            "the file was skipped",
            "convert it first, which keeps the old file beside it as .bak: python -m pip install fissix; "
            "python -m fissix --write {file}",
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
            "name that path in the command, too, if it belongs to the program",
        ),
        Code(
            "QC735",
            "this cannot be written: {problem}",
            "all files stay as they were",
            "make room or change the permissions, and run the command again",
        ),
        Code(
            "QC714",
            "the session here stays, in a graph: {reason}",
            "its input functions were rewritten, and the program runs by itself: it imports queuecompat.v1",
            "for an eager program, change that and run the command again",
        ),
        Code(
            "QC715",
            "this pipeline stays on queues: {reason}",
            "it runs as before, compiled: its program imports queuecompat.v1",
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
            "'{call}' now returns a tf.data.Dataset, and nothing in the given files calls it",
            "other code that expects tensors from it no longer works",
            "change its callers: 'for batch in {call}(...):'",
        ),
    )
}
