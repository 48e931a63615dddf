"""Producers: creates the dataset of files or rows that they repeat epoch after epoch.

With a seed, every epoch has TensorFlow 1's order, because ``tf.random.shuffle`` draws it in the same way.
"""

from __future__ import annotations

from typing import List

import libcst as cst

from queuecompat.migrate.analysis.needed_names import unused
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["PRODUCERS", "QUEUED", "matching_files", "producer_lines"]

PRODUCERS = {
    "tf.train.range_input_producer": "limit",
    "tf.train.slice_input_producer": "tensor_list",
    "tf.train.string_input_producer": "string_tensor",
}
# Those that return a queue.
QUEUED = {"tf.train.range_input_producer", "tf.train.string_input_producer"}


def producer_lines(source: Source, tf: str, call: cst.Call) -> List[str]:
    """The lines that create the dataset of a producer's files or rows, repeated for its epochs."""
    symbol = source.names.symbol(call.func)
    given = InputCall(source, call, positions(PRODUCERS[symbol], "num_epochs", "shuffle", "seed"))
    given.require_only()
    rows, shuffle, seed = given.code(PRODUCERS[symbol]), given.code("shuffle"), given.code("seed")
    epochs = given.code("num_epochs")
    repeat = f".repeat({'' if epochs == 'None' else epochs})"
    if symbol.endswith("range_input_producer"):
        rows = f"{tf}.range({rows})"
    elif symbol.endswith("slice_input_producer"):
        rows = _tuple(given, PRODUCERS[symbol])
    else:
        files = given.value(PRODUCERS[symbol])
        if isinstance(files, cst.Call) and source.names.symbol(files.func) == "tf.train.match_filenames_once":
            rows = matching_files(source, tf, files)
    if seed not in ("", "None") and shuffle != "False":
        return _seeded(given, tf, rows, repeat)
    lines = [f"dataset = {tf}.data.Dataset.from_tensor_slices({rows})"]
    shuffled = "dataset = dataset.shuffle(dataset.cardinality())"
    if shuffle in ("", "True"):
        lines.append(shuffled)
    elif shuffle != "False":
        lines.append(f"if {shuffle}:\n    {shuffled}")
    return [*lines, f"dataset = dataset{repeat}"]


def matching_files(source: Source, tf: str, call: cst.Call) -> str:
    """The expression for the result of ``match_filenames_once``: file names in sorted order."""
    return f"sorted({tf}.io.gfile.glob({InputCall(source, call, positions('pattern', 'name')).code('pattern')}))"


def _seeded(given: InputCall, tf: str, rows: str, repeat: str) -> List[str]:
    if given.code("shuffle") not in ("", "True"):
        raise refused("seeded-order", given.call)
    if "tensor_list" not in given.positions:
        return _drawn(given, tf, rows, repeat)
    tensors, row = [given.source.code(one) for one in given.listed("tensor_list")], unused("row", [given.call])
    gathered = ", ".join(f"{tf}.gather({one}, {row})" for one in tensors)
    return [
        *_drawn(given, tf, f"{tf}.range(len({tensors[0]}))", repeat),
        f"dataset = dataset.map(lambda {row}: {gathered if len(tensors) == 1 else f'({gathered})'})",
    ]


def _drawn(given: InputCall, tf: str, rows: str, repeat: str) -> List[str]:
    """Rows in an order that is drawn again for every epoch, as TensorFlow 1 drew it."""
    name = unused("rows", [given.call])
    shuffled = f"lambda {name}: {tf}.random.shuffle({name}, seed={given.code('seed')})"
    return [
        f"dataset = {tf}.data.Dataset.from_tensors({rows}){repeat}",
        f"dataset = dataset.map({shuffled}).unbatch()",
    ]


def _tuple(given: InputCall, name: str) -> str:
    """A list of tensors as a tuple; a single tensor stays itself."""
    codes = [given.source.code(one) for one in given.listed(name)]
    return f"({', '.join(codes)})" if len(codes) > 1 else codes[0]
