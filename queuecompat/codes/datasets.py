"""QC501 to QC599: datasets of input functions and of saved graphs, and ``explain``."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

_NATIVE = "this pipeline runs on TensorFlow's own queues and threads: correct, but slower"

ROWS = (
    Code(
        "QC501",
        "'{call}' creates a dataset for eager TensorFlow 2, but eager execution is off",
        "nothing was built",
        "call it outside graphs and tf.functions, in a program that has not turned TensorFlow 2 behaviour off",
    ),
    Code(
        "QC502",
        "the input function returned {given}, which cannot be an element of a dataset",
        "nothing was built",
        "return a tensor, or any nesting of dicts, lists and tuples of tensors; if the function also returns other "
        "things, pass one that selects the tensors: as_dataset(lambda: inputs(...)[:2]); a function that returns a "
        "tf.data.Dataset needs no as_dataset: call it",
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
        "explain() cannot explain {given}: it takes a graph, tensors of a graph, or a dataset that as_dataset or "
        "dataset_from_meta_graph returned (with code=True, only such a dataset)",
        "nothing was explained",
        "call explain() on the dataset before applying further steps (map, take, ...) to it; for a pipeline in a "
        "graph, move the code that builds it into a function and pass that to as_dataset",
    ),
    Code(
        "QC507",
        "the input function uses a tensor or a variable of eager mode: {raised}",
        "nothing was built",
        "pass its value as a NumPy array or a number (tensor.numpy()), or create it inside the input function",
    ),
    Code(
        "QC508",
        "the input function runs its own pipeline in a session",
        "nothing was built",
        "pass the function that only builds the pipeline and returns the batch, without the session, its queue runners "
        "and its loop; in their place, iterate over the dataset: for batch in dataset",
    ),
    Code(
        "QC511",
        "'{name}' was not found: {why}",
        "the program stops here, unless it catches this error",
        "{instead}",
    ),
    Code(
        "QC512",
        "'queuecompat.v1' was imported in a program that uses TensorFlow 2's eager mode",
        "TensorFlow 1's names are available, but eager execution and the rest of TensorFlow 2's behaviour stay on",
        "call its input functions through queuecompat.as_dataset; in a TensorFlow 1 program, import queuecompat.v1 "
        "before TensorFlow 2 is used, or call queuecompat.v1.disable_v2_behavior()",
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
        "as_dataset got {given}, which is not a function and does not name one",
        "nothing was built",
        "pass the input function itself, not what it returned; or write 'module:function' or 'folder/file.py:function'",
    ),
    Code(
        "QC516",
        "steps() got {given} for {argument}",
        "nothing was built",
        "pass {needed}",
    ),
    Code(
        "QC517",
        "{path} cannot be read as a saved graph of TensorFlow 1: {why}",
        "nothing was built",
        "pass the .meta file that tf.train.Saver wrote beside a checkpoint, or that tf.train.export_meta_graph wrote",
    ),
    Code(
        "QC518",
        "{what} names '{name}', which is not a tensor of {path}",
        "nothing was built",
        "pass the name of a tensor in the graph; similar names, or tensors that are taken from its queues: {names}",
    ),
    Code(
        "QC519",
        "the saved graph needs '{op}', but this TensorFlow has no op {op_type}",
        "nothing was built",
        "load the library that defines the op first (tf.load_op_library), or pass feeds with values for its outputs",
    ),
    Code(
        "QC520",
        "the saved graph calls a Python function ('{op}'), but it does not contain the function's code",
        "nothing was built",
        "fetch the tensors before that op and call the function in dataset.map(); or build the pipeline from its "
        "Python code, with as_dataset",
    ),
    Code(
        "QC521",
        "dataset_from_meta_graph cannot use feeds: {problem}",
        "nothing was built",
        "pass a dict from tensor names ('input_producer/Const:0') to values, each with the dtype and shape of its "
        "tensor",
    ),
    Code(
        "QC522",
        "the fetched tensors need the trained variable '{variable}', whose value is in a checkpoint and not in the "
        "graph",
        "nothing was built",
        "fetch the input of the model (a batch from a queue) and compute the model itself in TensorFlow 2; or pass "
        "the variable's value in feeds",
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
        "QC532",
        "shard='auto' cannot determine which part of the data this process reads: {why}",
        "nothing was built (otherwise every process would read all of the data)",
        "correct that variable, or pass the part explicitly: shard=(number, count), or run --shard NUMBER/COUNT",
    ),
    Code(
        "QC540",
        "'{stage}' is not compiled, because this run uses TensorFlow's own queues for comparison",
        _NATIVE,
        "no change is needed: 'run --compare' runs the program this way once, to compare the compiled run with it",
    ),
    Code(
        "QC541",
        "%%queuecompat runs a cell as a TensorFlow 1 program, but this kernel has used TensorFlow 2's eager mode",
        "the cell was not run",
        "restart the kernel and run this cell before those of TensorFlow 2; or keep the kernel eager, and pass the "
        "input function to queuecompat.as_dataset",
    ),
)
