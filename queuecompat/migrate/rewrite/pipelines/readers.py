"""Readers: turns a dataset of files into the dataset of what a TensorFlow 1 reader read from them.

A file's records come one by one, or in blocks (``read_up_to``) that end with the file. Keys are computed only if the
program uses them: the name of the file, with the number of the line or record in it, or with the offset of the record.

    def read(file):
        numbered = tf.data.TextLineDataset(file).enumerate(1)
        return numbered.map(lambda number, record: (tf.strings.join([file, ":", tf.strings.as_string(number)]), record))
"""

from __future__ import annotations

import dataclasses
from typing import List, Tuple

import libcst as cst

from queuecompat.migrate.analysis.mentions import dotted_name
from queuecompat.migrate.analysis.needed_names import unused
from queuecompat.migrate.rewrite.pipelines.calls import InputCall, positions
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.parsing import Source

__all__ = ["READERS", "Reading"]

READERS = {"tf.FixedLengthRecordReader", "tf.TFRecordReader", "tf.TextLineReader", "tf.WholeFileReader"}


@dataclasses.dataclass(frozen=True)
class Reading:
    """One call of a reader's ``read`` or ``read_up_to``.

    Attributes:
      reader: the call that creates the reader.
      with_keys: whether the keys are used.
      block: the number of records that ``read_up_to`` reads at most, as an expression; "" for ``read``.
    """

    reader: cst.Call
    with_keys: bool
    block: str = ""

    def lines(self, source: Source, tf: str, files_at_once: str, *, in_blocks: bool) -> Tuple[str, str]:
        """The function that reads a file, "" if no function is needed; and the line that makes a dataset of records.

        Args:
          files_at_once: how many files are interleaved, as an expression; "" for one after the other.
          in_blocks: whether records stay in the reader's blocks; otherwise they come one by one.

        Raises:
          UnsupportedPatternError: the reader has no counterpart.
        """
        block = self.block if in_blocks else ""
        if source.names.symbol(self.reader.func) == "tf.WholeFileReader":
            return "", self._whole_files(tf)
        made = _record_dataset(source, tf, self.reader)
        if self.with_keys:
            name = unused("read", [source.tree])
            return self._keyed(tf, name, made, block), self._line(tf, files_at_once, name)
        # A variable of the program may be called "name" too.
        name = unused("name", self._outside(block))
        per_file = f"{made.of(name)}{made.skips}" + (f".batch({block})" if block else "")
        function = made.function if per_file == f"{made.function}({name})" else f"lambda {name}: {per_file}"
        if files_at_once or block or made.skips:
            return "", self._line(tf, files_at_once, function)
        return "", f"dataset = {made.of('dataset')}"

    def _line(self, tf: str, files_at_once: str, function: str) -> str:
        """The line that applies *function*, an expression, to each file."""
        if files_at_once:
            arguments = (function, f"cycle_length={files_at_once}", f"num_parallel_calls={tf}.data.AUTOTUNE")
            return f"dataset = dataset.interleave(\n    {', '.join(arguments)}\n)"
        return f"dataset = dataset.flat_map({function})"

    def _keyed(self, tf: str, function: str, made: _Made, block: str) -> str:
        """The function that reads pairs of TensorFlow 1's key and record from a file."""
        outside = self._outside(block)
        names = (made.key, "file", "record", "numbered", "keyed")
        number, file, record, numbered, keyed = (unused(name, outside) for name in names)
        key = f'{tf}.strings.join([{file}, ":", {tf}.strings.as_string({number})])'
        records, rest = made.of(file), f".batch({block})" if block else ""
        if made.key == "number":
            lines = [
                # Skipped lines count too.
                f"{numbered} = {records}.enumerate({made.first}){made.skips}",
                f"return {numbered}.map(lambda {number}, {record}: ({key}, {record})){rest}",
            ]
        else:
            lines = [
                f"def {keyed}({number}, {record}):",
                "    # Around each record are its length and two checksums, 16 bytes.",
                f"    after = {number} + 16 + {tf}.cast({tf}.strings.length({record}), {tf}.int64)",
                f"    return after, ({key}, {record})",
                "",
                f"return {records}.scan({tf}.constant(0, {tf}.int64), {keyed}){rest}",
            ]
        return f"def {function}({file}):\n" + "".join(f"    {line}\n" if line else "\n" for line in lines)

    def _outside(self, block: str) -> List[cst.CSTNode]:
        """The program's expressions that are copied into the function of a file."""
        return [self.reader, *([cst.parse_expression(block)] if block else [])]

    def _whole_files(self, tf: str) -> str:
        if self.block:
            raise refused("several-whole-files", self.reader)
        read = f"{tf}.io.read_file"
        return f"dataset = dataset.map({f'lambda name: (name, {read}(name))' if self.with_keys else read})"


@dataclasses.dataclass(frozen=True)
class _Made:
    """The dataset of one file.

    Attributes:
      function: the function that creates it, as an expression.
      arguments: its arguments after the file, each preceded by a comma.
      skips: code appended to the call.
      key: what follows the file name in TensorFlow 1's keys: the "number" of the record, or its "offset".
      first: the number of the first record; "" for 0.
    """

    function: str
    arguments: str = ""
    skips: str = ""
    key: str = "number"
    first: str = ""

    def of(self, file: str) -> str:
        return f"{self.function}({file}{self.arguments})"


def _record_dataset(source: Source, tf: str, reader: cst.Call) -> _Made:
    """The dataset that reads as *reader* does."""
    symbol = source.names.symbol(reader.func)
    if symbol == "tf.TFRecordReader":
        given = InputCall(source, reader, positions("name", "options"))
        given.require_only()
        return _Made(f"{tf}.data.TFRecordDataset", _compression(given), key="offset")
    if symbol == "tf.TextLineReader":
        given = InputCall(source, reader, positions("skip_header_lines", "name"))
        given.require_only()
        skip = {"None": "", "0": "", "False": "", "True": "1"}.get(*[given.code("skip_header_lines")] * 2)
        return _Made(f"{tf}.data.TextLineDataset", skips=f".skip({skip})" if skip else "", first="1")
    given = InputCall(source, reader, positions("record_bytes", "header_bytes", "footer_bytes"))
    given.require_only()
    sizes = f", {given.code('record_bytes')}"
    sizes += "".join(f", {name}={given.code(name)}" for name in ("header_bytes", "footer_bytes") if given.code(name))
    return _Made(f"{tf}.data.FixedLengthRecordDataset", sizes)


def _compression(given: InputCall) -> str:
    """The argument for compressed files."""
    options = given.written_out("options")
    if options is None or given.code("options") == "None":
        return ""
    made = isinstance(options, cst.Call) and given.source.names.symbol(options.func).endswith(".TFRecordOptions")
    if not made or len(options.args) != 1:  # type: ignore[attr-defined]
        raise refused("compression-unknown", given.call)
    kind = options.args[0].value  # type: ignore[attr-defined]
    names = {"GZIP": "'GZIP'", "ZLIB": "'ZLIB'", "NONE": "''"}
    found = names.get(dotted_name(kind).rpartition(".")[2])
    found = given.source.code(kind) if isinstance(kind, cst.SimpleString) else found
    if found is None:
        raise refused("compression-unknown", given.call)
    return f", {found}"
