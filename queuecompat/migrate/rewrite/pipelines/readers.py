"""Readers: the dataset of what they read from a dataset of files.

A file's records come one by one, or in blocks (``read_up_to``) that end with the file. Of the keys, a dataset knows
those of ``WholeFileReader``: the names of the files.
"""

from __future__ import annotations

import dataclasses
from typing import Tuple

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
      reader: the call that makes the reader.
      with_keys: the keys are used.
      block: how many records ``read_up_to`` reads at most, as an expression; "": ``read``.
    """

    reader: cst.Call
    with_keys: bool
    block: str = ""

    def line(self, source: Source, tf: str, files_at_once: str, *, in_blocks: bool) -> str:
        """The line that makes a dataset of records from one of files.

        Args:
          files_at_once: how many files are read in turn, as an expression; "": one after the other.
          in_blocks: records come in their blocks; else one by one, whatever the reader does.
        Raises:
          UnsupportedPatternError: it has no counterpart.
        """
        block = self.block if in_blocks else ""
        symbol = source.names.symbol(self.reader.func)
        if symbol == "tf.WholeFileReader":
            return self._whole_files(tf)
        if self.with_keys:
            raise refused("keys-used", self.reader)
        made, sizes, skips = _record_dataset(source, tf, self.reader)
        # A parameter of the program's own may be called "name", too.
        name = unused("name", [self.reader, *([cst.parse_expression(block)] if block else [])])
        per_file = f"{made}({name}{sizes}){skips}" + (f".batch({block})" if block else "")
        function = made if per_file == f"{made}({name})" else f"lambda {name}: {per_file}"
        if files_at_once:
            arguments = (function, f"cycle_length={files_at_once}", f"num_parallel_calls={tf}.data.AUTOTUNE")
            return f"dataset = dataset.interleave(\n    {', '.join(arguments)}\n)"
        if block or skips:
            return f"dataset = dataset.flat_map({function})"
        return f"dataset = {made}(dataset{sizes})"

    def _whole_files(self, tf: str) -> str:
        if self.block:
            raise refused("several-whole-files", self.reader)
        read = f"{tf}.io.read_file"
        return f"dataset = dataset.map({f'lambda name: (name, {read}(name))' if self.with_keys else read})"


def _record_dataset(source: Source, tf: str, reader: cst.Call) -> Tuple[str, str, str]:
    """The class of dataset that reads as *reader* does; its arguments after the file, and what follows the call."""
    symbol = source.names.symbol(reader.func)
    if symbol == "tf.TFRecordReader":
        given = InputCall(source, reader, positions("name", "options"))
        given.require_only()
        return f"{tf}.data.TFRecordDataset", _compression(given), ""
    if symbol == "tf.TextLineReader":
        given = InputCall(source, reader, positions("skip_header_lines", "name"))
        given.require_only()
        skip = given.code("skip_header_lines")
        skips = "" if skip in ("", "None", "0", "False") else f".skip({'1' if skip == 'True' else skip})"
        return f"{tf}.data.TextLineDataset", "", skips
    given = InputCall(source, reader, positions("record_bytes", "header_bytes", "footer_bytes"))
    given.require_only()
    sizes = f", {given.code('record_bytes')}"
    sizes += "".join(f", {name}={given.code(name)}" for name in ("header_bytes", "footer_bytes") if given.code(name))
    return f"{tf}.data.FixedLengthRecordDataset", sizes, ""


def _compression(given: InputCall) -> str:
    """The argument for files that are packed."""
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
