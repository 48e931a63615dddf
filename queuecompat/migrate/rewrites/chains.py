"""The parts of a queue pipeline that is written straight on, and the tf.data code that does the same.

    files = tf.train.string_input_producer(names)             dataset = tf.data.Dataset.from_tensor_slices(names)
    _, record = tf.TFRecordReader().read(files)          ->   dataset = dataset.shuffle(...).repeat()
    image = decode(record)                                    dataset = tf.data.TFRecordDataset(dataset)
    return tf.train.shuffle_batch([image], 8, 100, 50)        dataset = dataset.shuffle(100).map(...).batch(8, ...)

The order is that of the compiled pipeline: the pool holds records, and not what is decoded from them.
Producers with a seed keep TensorFlow 1's order in every epoch, for ``tf.random.shuffle`` draws it as they did.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

import libcst as cst

from queuecompat.migrate.rewrites.statements import OtherShapeError
from queuecompat.migrate.sources import Source
from queuecompat.migrate.walking import argument

__all__ = ["PRODUCERS", "READERS", "batch_lines", "matching_files", "pool_lines", "producer_lines", "reader_line"]

PRODUCERS = {
    "tf.train.range_input_producer": "limit",
    "tf.train.slice_input_producer": "tensor_list",
    "tf.train.string_input_producer": "string_tensor",
}
READERS = {"tf.FixedLengthRecordReader", "tf.TFRecordReader", "tf.TextLineReader", "tf.WholeFileReader"}
# Arguments that change nothing in a dataset.
_WITHOUT_EFFECT = {"capacity", "name", "num_threads", "shared_name"}


@dataclasses.dataclass(frozen=True)
class _Call:
    """A call, whose arguments are asked for by name."""

    source: Source
    call: cst.Call
    positions: Dict[str, int]

    def code(self, name: str) -> str:
        """An argument as it is written; "" if it is not given."""
        found = argument(self.call, name, self.positions.get(name))
        return "" if found is None else self.source.code(found)

    def require_only(self, *names: str) -> None:
        """
        Raises:
          OtherShapeError: there are other arguments.
        """
        given = {one.keyword.value for one in self.call.args if one.keyword}
        strange = given - {*names, *self.positions, *_WITHOUT_EFFECT}
        if strange or any(one.star for one in self.call.args):
            raise OtherShapeError(
                self.call, f"its argument {', '.join(sorted(strange)) or '*'} has no counterpart here"
            )


def _positions(*names: str) -> Dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def producer_lines(source: Source, tf: str, call: cst.Call) -> List[str]:
    """The dataset of files or rows that a producer goes through, epoch after epoch."""
    symbol = source.names.symbol(call.func)
    given = _Call(source, call, _positions(PRODUCERS[symbol], "num_epochs", "shuffle", "seed"))
    given.require_only()
    rows, shuffle, seed = given.code(PRODUCERS[symbol]), given.code("shuffle"), given.code("seed")
    epochs = given.code("num_epochs")
    repeat = f".repeat({'' if epochs == 'None' else epochs})"
    if symbol.endswith("range_input_producer"):
        rows = f"{tf}.range({rows})"
    elif symbol.endswith("slice_input_producer"):
        rows = _tuple(given, PRODUCERS[symbol])
    else:
        files = argument(call, PRODUCERS[symbol], 0)
        if isinstance(files, cst.Call) and source.names.symbol(files.func) == "tf.train.match_filenames_once":
            rows = matching_files(source, tf, files)
    if seed not in ("", "None") and shuffle != "False":
        return _seeded(given, tf, rows, repeat, seed)
    lines = [f"dataset = {tf}.data.Dataset.from_tensor_slices({rows})"]
    shuffled = "dataset = dataset.shuffle(dataset.cardinality())"
    if shuffle in ("", "True"):
        lines.append(shuffled)
    elif shuffle != "False":
        lines.append(f"if {shuffle}:\n    {shuffled}")
    return [*lines, f"dataset = dataset{repeat}"]


def matching_files(source: Source, tf: str, call: cst.Call) -> str:
    """What ``match_filenames_once`` gave: names in their order."""
    return f"sorted({tf}.io.gfile.glob({_Call(source, call, _positions('pattern', 'name')).code('pattern')}))"


def _seeded(given: _Call, tf: str, rows: str, repeat: str, seed: str) -> List[str]:
    if given.code("shuffle") not in ("", "True") or "tensor_list" in given.positions:
        raise OtherShapeError(given.call, "its seed would give another order")
    return [
        f"dataset = {tf}.data.Dataset.from_tensors({rows}){repeat}",
        f"dataset = dataset.map(lambda rows: {tf}.random.shuffle(rows, seed={seed})).unbatch()",
    ]


def _tuple(given: _Call, name: str) -> str:
    """A list of tensors as a tuple; a single tensor without one."""
    found = argument(given.call, name, 0)
    if not isinstance(found, (cst.List, cst.Tuple)):
        raise OtherShapeError(given.call, "its tensors are not listed here")
    codes = [given.source.code(element.value) for element in found.elements]
    return f"({', '.join(codes)})" if len(codes) > 1 else codes[0]


def reader_line(source: Source, tf: str, call: cst.Call, *, with_keys: bool) -> str:
    """The dataset of records that a reader reads from a dataset of files."""
    symbol = source.names.symbol(call.func)
    if symbol == "tf.WholeFileReader":
        read = f"{tf}.io.read_file"
        return f"dataset = dataset.map({f'lambda name: (name, {read}(name))' if with_keys else read})"
    if with_keys:
        raise OtherShapeError(call, "it uses the reader's keys, which a dataset does not have")
    if symbol == "tf.TFRecordReader":
        _Call(source, call, {"name": 0}).require_only()
        return f"dataset = {tf}.data.TFRecordDataset(dataset)"
    if symbol == "tf.TextLineReader":
        given = _Call(source, call, _positions("skip_header_lines", "name"))
        given.require_only()
        skip = given.code("skip_header_lines")
        if skip in ("", "None", "0", "False"):
            return f"dataset = {tf}.data.TextLineDataset(dataset)"
        lines = f"{tf}.data.TextLineDataset(name).skip({'1' if skip == 'True' else skip})"
        return f"dataset = dataset.flat_map(lambda name: {lines})"
    return _fixed_length(_Call(source, call, _positions("record_bytes", "header_bytes", "footer_bytes")), tf)


def _fixed_length(given: _Call, tf: str) -> str:
    given.require_only()
    sizes = [given.code("record_bytes")]
    sizes += [f"{name}={given.code(name)}" for name in ("header_bytes", "footer_bytes") if given.code(name)]
    return f"dataset = {tf}.data.FixedLengthRecordDataset(dataset, {', '.join(sizes)})"


_BATCH = _positions(
    "tensors", "batch_size", "num_threads", "capacity", "enqueue_many", "shapes", "dynamic_pad",
    "allow_smaller_final_batch",
)  # fmt: skip
_SHUFFLE_BATCH = _positions(
    "tensors", "batch_size", "capacity", "min_after_dequeue", "num_threads", "seed", "enqueue_many", "shapes",
    "allow_smaller_final_batch",
)  # fmt: skip


def _batcher(source: Source, call: cst.Call) -> _Call:
    symbol = source.names.symbol(call.func)
    if symbol not in ("tf.train.batch", "tf.train.shuffle_batch"):
        raise OtherShapeError(call, f"'{source.code(call.func)}' has no counterpart here")
    given = _Call(source, call, _BATCH if symbol == "tf.train.batch" else _SHUFFLE_BATCH)
    given.require_only()
    for name in ("enqueue_many", "shapes", "seed"):
        if given.code(name) not in ("", "False", "None"):
            raise OtherShapeError(call, f"its argument {name} has no counterpart here")
    return given


def pool_lines(source: Source, call: cst.Call) -> List[str]:
    """The shuffling of a batcher."""
    given = _batcher(source, call)
    pooled = "min_after_dequeue" in given.positions
    return [f"dataset = dataset.shuffle({given.code('capacity')})"] if pooled else []


def batch_lines(source: Source, tf: str, call: cst.Call) -> List[str]:
    """The batches, with the last one as the batcher had it."""
    given = _batcher(source, call)
    smaller, pads = given.code("allow_smaller_final_batch"), given.code("dynamic_pad")
    drops: Optional[str] = {"": "True", "False": "True", "True": None}.get(smaller, f"not ({smaller})")
    rest = f", drop_remainder={drops}" if drops else ""
    if pads not in ("", "False", "True"):
        raise OtherShapeError(call, "whether it pads is decided while it runs")
    kind = "padded_batch" if pads == "True" else "batch"
    return [f"dataset = dataset.{kind}({given.code('batch_size')}{rest})"]
