"""Blocks of records (``records.blocks``) in datasets: the blocks of an epoch, and the records of a block.

Rule 1: Python runs once per epoch, to make the table of all its blocks, and once for each block that is far from the
        beginning of its file (``_or_sought``). Everything else that is done for a block or a record is ops.
Rule 2: a block is read in one piece, from its offset. ``TFRecordDatasetV2`` can begin at any byte of a file. TensorFlow
        2.12 does not have it: there, the piece is cut by the lengths in it, and the checksums of the data are not
        checked. Text lines are split at newlines; fixed-length records are read by TensorFlow's own reader.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat import errors
from queuecompat._backends.tfdata.files import RECORD_FRAME_BYTES, of_strings, with_numbers, with_offsets
from queuecompat._backends.tfdata.functions import shared, traced
from queuecompat._backends.tfdata.mapping import flattened, mapped, no_autograph, unbatched
from queuecompat._backends.tfdata.numbered import beside_numbers
from queuecompat._native.python_functions import numpy_function
from queuecompat._plan import ir
from queuecompat.records.blocks import NUMBERS_BYTES, UNKNOWN, BlockOrder, Column

__all__ = [
    "Block",
    "blocks_after",
    "blocks_of_epoch",
    "of_all_blocks",
    "records_of_all_groups",
    "records_of_block",
    "tf_records_of_block",
    "traced_reader",
    "with_record_numbers",
]

to_variant = tf.data.experimental.to_variant

# The read buffers for TFRecords. Forty blocks are open at once: with buffers of 64 KiB, small records took a fifth more
# time, since the buffers do not fit into the processor's cache; records of 1,000 bytes took a tenth less.
_BUFFER_BYTES = 16 * 1024
_BUFFER_BYTES_OF_LARGER = 64 * 1024
_LARGER = 512  # bytes per record, on average over its block
_HAS_OFFSETS = hasattr(tf.raw_ops, "TFRecordDatasetV2")
_HEADER_BYTES = 12  # of a TFRecord: its length, and the checksum of the length
_ALL_BYTES = 0x7FFFFFFF  # more than any string has
# ``FixedLengthRecordDatasetV2`` reads everything that comes before a piece, at 60 to 100 us per megabyte. Python can
# seek, but a call costs 200 us. So Python reads a piece that begins after this many bytes, unless it is too large to be
# held as a whole.
_FAR_BYTES = 4 * 1024 * 1024
_MOST_SOUGHT_BYTES = 8 * 1024 * 1024
_SPECS_OF_BLOCK = [tf.TensorSpec([], tf.string), *[tf.TensorSpec([], tf.int64)] * (NUMBERS_BYTES // 8)]


def blocks_of_epoch(
    names: tf.Tensor, epoch: tf.Tensor, produce: ir.Produce, start: Optional[tf.Tensor], epochs_before: tf.Tensor
) -> tf.Tensor:
    """The blocks, or groups of blocks, of the files *names* in the given *epoch* of *produce*; strings ``[blocks]``.

    Args:
      start: decides the order if no seed does, int64 ``[2]``; None: the order is different in every epoch.
      epochs_before: how many epochs there were before those of this iterator, for the numbers of records; int64 ``[]``.
    """
    order = _order(produce)

    def blocks(names: np.ndarray, key: np.ndarray, epoch: np.ndarray, before: np.ndarray) -> np.ndarray:
        return order.blocks_after(names.tolist(), key, int(epoch), 0, epochs_before=int(before))[0]

    found = numpy_function(blocks, [names, _key(produce, start), epoch, epochs_before], tf.string)
    return tf.ensure_shape(found, [None])


def blocks_after(
    names: tf.Tensor,
    epoch: tf.Tensor,
    gone: tf.Tensor,
    produce: ir.Produce,
    start: Optional[tf.Tensor],
    file_places: tf.Tensor,
    epochs_before: tf.Tensor,
) -> Tuple[tf.Tensor, tf.Tensor]:
    """The blocks of ``blocks_of_epoch`` after the first *gone* records, and how many records the epoch has.

    Args:
      file_places: the position of each of *names* in the program's list, int64 ``[names]``.
      epochs_before: as for ``blocks_of_epoch``.
    """
    order = _order(produce)
    totals: Dict[bytes, int] = {}  # records of an epoch, by its files

    def blocks(
        names: np.ndarray,
        key: np.ndarray,
        epoch: np.ndarray,
        gone: np.ndarray,
        file_places: np.ndarray,
        before: np.ndarray,
    ) -> Tuple[np.ndarray, np.int64]:
        known = b"\0".join(sorted(names.tolist()))
        if totals.get(known, int(gone) + 1) <= gone:
            return np.zeros([0], "S1"), np.int64(totals[known])
        given = (names.tolist(), key, int(epoch), int(gone), file_places.tolist(), int(before))
        found, totals[known] = order.blocks_after(*given)
        return found, np.int64(totals[known])

    given = [names, _key(produce, start), epoch, gone, file_places, epochs_before]
    found, total = numpy_function(blocks, given, (tf.string, tf.int64))
    return tf.ensure_shape(found, [None]), tf.ensure_shape(total, [])


def _order(produce: ir.Produce) -> BlockOrder:
    assert produce.blocks is not None
    layout = produce.blocks.layout
    part = produce.part or ir.Part(0, 1)
    return BlockOrder(
        layout.name,
        layout.record_bytes,
        layout.header_bytes,
        layout.footer_bytes,
        layout.skip_header_lines,
        produce.blocks.size or None,
        produce.blocks.is_global,
        part.number,
        part.count,
        produce.blocks.together,
        produce.blocks.in_turn,
    )


def _key(produce: ir.Produce, start: Optional[tf.Tensor]) -> tf.Tensor:
    if produce.is_seeded:
        assert produce.seeds is not None
        return tf.constant([produce.seeds[0] or 0, produce.seeds[1] or 0], tf.int64)
    if produce.part is not None:
        return tf.zeros([2], tf.int64)  # processes with the other parts need the same order
    return tf.random.uniform([2], 0, tf.int64.max, tf.int64) if start is None else start


class Block(NamedTuple):
    """The fields of one block (``records.blocks.Column``); for several blocks, each field has one more dimension."""

    file_name: tf.Tensor
    offset: tf.Tensor
    length: tf.Tensor
    tail: tf.Tensor
    first: tf.Tensor
    count: tf.Tensor
    number: tf.Tensor

    @classmethod
    def of(cls, blocks: tf.Tensor) -> Block:
        """The fields of *blocks*, one string or a vector of strings."""
        numbers = tf.io.decode_raw(tf.strings.substr(blocks, 0, NUMBERS_BYTES), tf.int64)
        numbers = tf.unstack(numbers, NUMBERS_BYTES // 8, axis=-1)  # one op: each costs microseconds per block
        columns = (Column.OFFSET, Column.LENGTH, Column.TAIL, Column.FIRST, Column.COUNT, Column.NUMBER)
        return cls(tf.strings.substr(blocks, NUMBERS_BYTES, _ALL_BYTES), *(numbers[column] for column in columns))

    def piece(self, length: Any) -> tf.data.Dataset:
        """The block as strings of *length* bytes."""
        return of_strings(
            tf.raw_ops.FixedLengthRecordDatasetV2(
                filenames=self.file_name,
                header_bytes=self.offset,
                record_bytes=tf.maximum(length, 1),  # the length is 0 if the block cannot be read
                footer_bytes=self.tail,
                buffer_size=tf.constant(0, tf.int64),
                compression_type="",
            )
        )


def of_all_blocks(
    blocks: tf.data.Dataset, function: Any, components: Sequence[tf.TensorSpec], open_blocks: int, in_turn: int = 1
) -> tf.data.Dataset:
    """The elements of the datasets that the concrete *function* returns for *blocks*, one string each.

    Args:
      components: the specs of the elements, flat.
      open_blocks: the number of blocks in each group of *blocks*, of which *in_turn* elements each are taken in turn; 0
        or 1: *blocks* are single blocks.
    """
    return _of_all(blocks, function, components, open_blocks, in_turn, lambda blocks_of_group: [blocks_of_group])


def records_of_all_groups(groups: tf.data.Dataset, step: ir.Read) -> tf.data.Dataset:
    """The records of *groups* of blocks, some records of each block in turn.

    All strings of a group are split at once, because each op in a function that is called per block adds to its cost.
    """

    def records(*block: tf.Tensor) -> List[tf.Tensor]:
        return [to_variant(records_of_block(Block(*block), step))]

    function = traced_reader(records, _SPECS_OF_BLOCK, "records of a block", step)
    return _of_all(groups, function, step.components, step.open_blocks, step.in_turn, Block.of)


def traced_reader(
    records: Callable[..., List[tf.Tensor]], specs: Sequence[tf.TensorSpec], what: str, step: ir.Read
) -> Any:
    """*records*, which reads for *step*, as a concrete function; traced once per process if it does not call Python.

    A function that calls Python belongs to the graph in which it was traced, and is freed with that graph.
    """
    may_seek = step.open_blocks > 0 and not (step.layout.name == "TFRecord" and _HAS_OFFSETS)
    return traced(records, specs) if may_seek else shared(lambda: traced(records, specs), what, step)


def _of_all(
    blocks: tf.data.Dataset,
    function: Any,
    components: Sequence[tf.TensorSpec],
    open_blocks: int,
    in_turn: int,
    given_of: Callable[[tf.Tensor], Sequence[tf.Tensor]],
) -> tf.data.Dataset:
    """Like ``of_all_blocks``; *function* takes one row of each tensor that *given_of* returns for a group's blocks."""
    if open_blocks <= 1:
        return flattened(blocks, function, components)

    def of_group(group: tf.Tensor) -> List[tf.Tensor]:
        given = given_of(_blocks_of_group(group))
        of_one = tf.raw_ops.TensorSliceDataset(components=given, output_shapes=[[]] * len(given))
        specs = tuple(tf.TensorSpec([], one.dtype) for one in given)
        of_one = tf.data.experimental.from_variant(of_one, specs)
        return [to_variant(flattened(of_one, function, components, at_once=open_blocks, in_turn=in_turn))]

    return flattened(blocks, traced(of_group, [tf.TensorSpec([], tf.string)]), components)


def _blocks_of_group(group: tf.Tensor) -> tf.Tensor:
    """The blocks of *group*; strings ``[blocks]``."""
    count = tf.io.decode_raw(tf.strings.substr(group, 0, 8), tf.int64)[0]
    lengths = tf.io.decode_raw(tf.strings.substr(group, tf.constant(8, tf.int64), 8 * count), tf.int64)
    begins = 8 + 8 * count + tf.cumsum(lengths, exclusive=True)
    return tf.strings.substr(tf.fill([count], group), begins, lengths)


def records_of_block(block: Block, step: ir.Read) -> tf.data.Dataset:
    """The records of *block*, in the form of ``files.records_of``.

    Errors when the dataset runs: NotFoundError, the file is missing; DataLossError, a record is corrupt.
    """
    records = with_record_numbers(_LAYOUTS[step.layout.name](block, step), block, step)
    return records if step.up_to is None else records.batch(step.up_to)


def with_record_numbers(records: tf.data.Dataset, block: Block, step: ir.Read) -> tf.data.Dataset:
    """*records* of *block*, each with its number if *step* needs it."""
    return beside_numbers(records, block.number, step.components) if step.numbered else records


def _tf_records(block: Block, step: ir.Read) -> tf.data.Dataset:
    records = _tf_records_from(block).concatenate(_missing(block)).take(block.count)
    return with_offsets(block.file_name, records, step.with_key, block.offset)


def tf_records_of_block(block: Block) -> tf.data.Dataset:
    """The records of a *block* of TFRecords, scalar strings; only those that exist, if the file was truncated.

    The dataset ends with its first error.
    """
    return _tf_records_from(block, ends=True).take(block.count)


def _tf_records_from(block: Block, ends: bool = False) -> tf.data.Dataset:
    """The records of *block*, and those that follow it in the file."""
    if _HAS_OFFSETS:
        return of_strings(
            tf.raw_ops.TFRecordDatasetV2(
                filenames=block.file_name,
                compression_type="",
                buffer_size=_buffer_bytes(block),
                byte_offsets=block.offset,
            )
        )
    return _cut_by_lengths(block, ends)


def _missing(block: Block) -> tf.data.Dataset:
    """Raises QC336 in place of the records that *block* no longer has.

    TensorFlow takes the place where a file was cut for its end, and would report nothing.
    """

    @no_autograph
    def failed(_: tf.Tensor) -> tf.Tensor:
        before, after = errors.layout("QC336", path="\0", offset="\1").split("\0")
        middle, after = after.split("\1")
        problem = tf.strings.join([before, block.file_name, middle, tf.strings.as_string(block.offset), after])
        with tf.control_dependencies([tf.raw_ops.Assert(condition=tf.constant(False), data=[problem])]):
            return tf.identity(block.file_name)

    # A file that was missing when its records were counted has a count of -1: it is read to its end, and lacks nothing.
    return tf.data.Dataset.range(tf.minimum(block.count, 1)).map(failed)


def _buffer_bytes(block: Block) -> tf.Tensor:
    small, larger = (tf.constant(size, tf.int64) for size in (_BUFFER_BYTES, _BUFFER_BYTES_OF_LARGER))
    return tf.where(block.length > _LARGER * block.count, larger, small)


def _cut_by_lengths(block: Block, ends: bool) -> tf.data.Dataset:
    def records(piece: tf.Tensor) -> tf.data.Dataset:
        def record(place: tf.Tensor, _: tf.Tensor) -> Any:
            length = tf.io.decode_raw(tf.strings.substr(piece, place, 8), tf.int64)[0]
            content = tf.strings.substr(piece, place + _HEADER_BYTES, length)
            return place + length + RECORD_FRAME_BYTES, content

        return tf.data.Dataset.range(block.count).scan(tf.constant(0, tf.int64), no_autograph(record))

    is_known = tf.not_equal(block.length, UNKNOWN)
    every, none = tf.constant(-1, tf.int64), tf.constant(0, tf.int64)
    sound = _or_sought(block, ends=ends).take(tf.where(is_known, every, none)).flat_map(no_autograph(records))
    # A damaged block is read as TensorFlow reads files, from the beginning, so that the error is the same.
    file = of_strings(
        tf.raw_ops.TFRecordDataset(filenames=block.file_name, compression_type="", buffer_size=_BUFFER_BYTES)
    )
    return sound.concatenate(file.skip(block.first).take(tf.where(is_known, none, every)))


def _text_lines(block: Block, step: ir.Read) -> tf.data.Dataset:
    def lines(piece: tf.Tensor, count: tf.Tensor) -> List[tf.Tensor]:
        # What follows the last newline is not a line, unless the file ends with it. TensorFlow removes every carriage
        # return.
        return [tf.strings.regex_replace(tf.strings.split(piece, "\n")[:count], "\r", "")]

    many = tf.TensorSpec([None], tf.string)
    function = traced(lines, [tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int64)])
    cut = mapped(_or_sought(block), function, [many], arguments=[block.count])
    records = tf.data.experimental.from_variant(
        tf.data.experimental.to_variant(unbatched(cut, [tf.TensorSpec([], tf.string)])), tf.TensorSpec([], tf.string)
    )
    return with_numbers(block.file_name, records, step.with_key, first=block.first + 1)


def _fixed_length_records(block: Block, step: ir.Read) -> tf.data.Dataset:
    records = _or_sought(block, max(step.layout.record_bytes, 1))
    return with_numbers(block.file_name, records, step.with_key, first=block.first)


def _or_sought(block: Block, size: Optional[int] = None, ends: bool = False) -> tf.data.Dataset:
    """*block* as strings of *size* bytes, or as one string; read by Python if it is far from the beginning of its file.

    Args:
      ends: whether to end with the first error. Python then always reads, because TensorFlow's reader of pieces raises
        its error again for every piece that there should be.
    """
    near = block.piece(block.length if size is None else tf.constant(size, tf.int64))
    is_far = tf.logical_and(block.offset > _FAR_BYTES, block.length <= _MOST_SOUGHT_BYTES)
    is_far = tf.logical_and(tf.logical_or(is_far, ends), tf.not_equal(block.length, UNKNOWN))
    one, none = (tf.constant(count, tf.int64) for count in (1, 0))

    def read(file_name: bytes, offset: np.ndarray, length: np.ndarray) -> np.ndarray:
        with open(file_name, "rb") as file:
            file.seek(int(offset))
            content = file.read(int(length))
        if len(content) < length:
            raise OSError(f"{file_name!r} has become shorter: it ends before byte {offset + length}")
        # NumPy splits it into objects of type bytes, in a quarter of the time that slicing takes.
        return np.frombuffer(content, f"V{size or len(content)}").astype(object)

    def strings(_: tf.Tensor, *place: tf.Tensor) -> List[tf.Tensor]:
        return [tf.ensure_shape(numpy_function(read, place, tf.string), [None])]

    many, spec = tf.TensorSpec([None], tf.string), tf.TensorSpec([], tf.string)
    function = traced(strings, [_SPECS_OF_BLOCK[1], spec, *_SPECS_OF_BLOCK[1:3]])
    place = [block.file_name, block.offset, block.length]
    far = mapped(tf.data.Dataset.range(tf.where(is_far, one, none)), function, [many], arguments=place)
    sought = tf.data.experimental.from_variant(tf.data.experimental.to_variant(unbatched(far, [spec])), spec)
    # A file that has grown since its records were indexed has more records before the block's *tail*; *take* drops
    # them.
    return near.take(tf.where(is_far, none, one if size is None else block.count)).concatenate(sought)


_LAYOUTS: Dict[str, Callable[[Block, ir.Read], tf.data.Dataset]] = {
    "FixedLengthRecord": _fixed_length_records,
    "TFRecord": _tf_records,
    "TextLine": _text_lines,
}
