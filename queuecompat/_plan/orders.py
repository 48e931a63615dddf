"""The order in which a producer outputs its data, and the shard of it, where an option changes TF1's.

With ``shuffle="global"`` or ``shard``, a producer of file names outputs *blocks* of records in place of the names, and
each of its readers reads blocks. Both are decided here from the producer's stage alone, because the producer and its
readers may be in different plans.

Rule 1: only readers can read blocks. If anything else takes the file names (the program's own ops, TensorFlow's own
        queues), the producer keeps outputting names, and ``problem`` returns the reason.
Rule 2: a program that shuffles nothing (neither the producer nor any queue after it) keeps its order even with
        ``shuffle="global"``, because evaluations are written like that. It has its shard, in that order.
Rule 3: many blocks are read at once, with one record of each in turn. This mixes the records whatever the capacity
        of the queues. If the next queue shuffles records, several records of each block come in turn, which is faster
        to read; they are few enough that the queue holds at least two turns of all open blocks, so it mixes as well.
        An open block takes a reader's buffer and holds no records, except with a cache, where it holds all of its
        records: the open blocks then have at most as many records as a quarter of the smallest queue.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Iterable, Iterator, Optional, Protocol, Sequence, Set, Tuple

from queuecompat._plan import ir
from queuecompat._plan.options import Options
from queuecompat._plan.parts import part_of
from queuecompat._plan.states import State
from queuecompat.errors import OrderWarning, QueueCompatValueError, error_at, layout, warn_user
from queuecompat.records.blocks import LEAST_RECORDS

__all__ = ["in_its_order", "problem", "warn_of_ignored_order", "warn_of_order_problems"]

# The maximum number of records in a block. Opening a block costs 100 to 300 us, reading a small record 3 to 10 us, so
# blocks of this size are read as fast as a file in sequence. Only epochs of some millions of records have blocks as
# large: with fewer records the blocks are as many but smaller (``records.blocks``), so that a queue with a hundredth
# of the data holds records of as many blocks.
MOST_RECORDS = 2048
# The same for lines; an open block of lines is a string in memory.
MOST_LINES = 256
# How many blocks the records that are mixed should come from. With 10 classes sorted by file, a batch of 10 records
# then has 93 % of the number of classes that it has in a permutation of all records.
MIXED_BLOCKS = 40
# The maximum number of records in turn: more do not make reading faster.
MOST_IN_TURN = 16
# With a cache, where open blocks hold records: the maximum numbers of records in a block, and of open blocks.
MOST_KEPT = 256
MOST_HELD = 16
# Lines in a block where blocks are in the order of the files.
LINES_OF_BLOCK = 4096
# With a cache, the open blocks may have 1 / SHARE_OF_QUEUE of the records of the smallest queue.
SHARE_OF_QUEUE = 4


class StageView(Protocol):
    """The part of ``stages.Stage`` that is used here."""

    name: str
    key: str
    made_at: str
    external: Optional[Any]
    options: Options

    @property
    def steps(self) -> Tuple[ir.Step, ...]: ...

    @property
    def inputs(self) -> Sequence[Any]: ...

    @property
    def upstream(self) -> Sequence[Any]: ...

    @property
    def consumers(self) -> Sequence[Any]: ...

    @property
    def state(self) -> State: ...


def in_its_order(stage: StageView) -> Tuple[ir.Step, ...]:
    """Returns the steps of *stage* with the order and the shard of the data that were chosen for it."""
    steps = stage.steps
    if steps and isinstance(steps[0], ir.Produce):
        return (_ordered(stage, steps[0]), *steps[1:])
    if steps and isinstance(steps[0], ir.Read) and len(stage.upstream) == 1:
        blocks = _blocks(stage.upstream[0])
        if blocks is not None:
            read = dataclasses.replace(steps[0], open_blocks=blocks.together, in_turn=blocks.in_turn)
            return (read, *steps[1:])
    return steps


def warn_of_order_problems(stages: Iterable[StageView], warned: Set[str]) -> None:
    """Warns of each of *stages* that cannot have the order that was chosen for it.

    Args:
      warned: the keys of the stages that were warned of before; updated.
    Raises:
      QueueCompatValueError: QC331, a stage cannot have the shard that was chosen.
    """
    for stage in stages:
        if stage.key in warned:
            continue
        why, kept = problem(stage), _why_in_own_order(stage)
        if why is not None:
            warn_of_ignored_order(stage.name, stage.made_at, why, stage.options)
        elif kept is not None:
            warn_user(layout("QC331", stage.made_at, stage=stage.name, how="in a global order", why=kept), OrderWarning)
        if why is not None or kept is not None:
            warned.add(stage.key)


def warn_of_ignored_order(name: str, made_at: str, why: str, chosen: Options) -> None:
    """Warns that the stage *name* cannot have the order of *chosen*, if that has one, because of *why*.

    Raises:
      QueueCompatValueError: QC331, *chosen* has a shard, which must not be ignored.
    """
    chosen_ones = [(chosen.shuffle, "in a global order"), (chosen.shard, "in parts")]
    how = " or ".join(words for value, words in chosen_ones if value is not None)
    if chosen.shard is not None:
        raise error_at(QueueCompatValueError, "QC331", made_at, stage=name, how=how, why=why)
    if chosen.shuffle is not None:
        warn_user(layout("QC331", made_at, stage=name, how=how, why=why), OrderWarning)


def problem(stage: StageView) -> Optional[str]:
    """Returns why *stage* cannot have the order or shard that was chosen for it; None: it can, or none was chosen."""
    chosen = stage.options
    if stage.upstream or (chosen.shuffle is None and chosen.shard is None):
        return None
    produce = stage.steps[0] if stage.steps else None
    if stage.external is not None:
        return "TensorFlow's own queue or reader takes its elements"
    if not isinstance(produce, ir.Produce):
        return "your ops produce its elements one after the other, so there is nothing to shuffle"
    reads = _reads(stage)
    return _why_not_blocks(stage) if reads else None  # rows that no reader reads need no blocks


def _why_in_own_order(stage: StageView) -> Optional[str]:
    """Returns why *stage* keeps the program's order although a global one was chosen; None: it does not keep it."""
    produce = stage.steps[0] if stage.steps else None
    if stage.options.shuffle is None or stage.upstream or not isinstance(produce, ir.Produce):
        return None
    if not _reads(stage):
        is_in_order = produce.seeds is None and stage.external is None
        rows = "the producer is called with shuffle=False, and its rows are not files that a reader reads"
        return rows if is_in_order else None
    if not _shuffles(stage):
        return "the program asks for no shuffling: its producer has shuffle=False, and no shuffle_batch comes after it"
    return None


def _ordered(stage: StageView, produce: ir.Produce) -> ir.Produce:
    chosen = stage.options
    if chosen.shuffle is None and chosen.shard is None and not chosen.checkpoint and chosen.random is None:
        return produce
    number_of_part = part_of(chosen.shard)
    part = None if number_of_part is None else ir.Part(*number_of_part)
    blocks = _blocks(stage)
    if blocks is None and _reads(stage):
        return produce
    return dataclasses.replace(produce, blocks=blocks, part=part)


def _blocks(stage: StageView) -> Optional[ir.Blocks]:
    """Returns the blocks that *stage* outputs; None: it outputs file names, or rows of something else."""
    produce = stage.steps[0] if stage.steps else None
    if not isinstance(produce, ir.Produce) or _why_not_blocks(stage) is not None:
        return None
    layout = _reads(stage)[0].layout
    if stage.options.shuffle is None or _why_in_own_order(stage) is not None:
        return _in_files_order(layout, stage.options)
    readers, capacity = len(stage.consumers), _capacity(stage)
    if stage.options.cache is None:
        most = MOST_LINES if layout.name == "TextLine" else MOST_RECORDS
        open_blocks = max(1, MIXED_BLOCKS // readers)
        return ir.Blocks(layout, most, is_global=True, together=open_blocks, in_turn=_records_in_turn(stage))
    size = max(LEAST_RECORDS, min(MOST_KEPT, capacity // MIXED_BLOCKS))
    open_blocks = max(1, min(MOST_HELD, capacity // (SHARE_OF_QUEUE * size * readers)))
    return ir.Blocks(layout, size, is_global=True, together=open_blocks)


def _in_files_order(layout: ir.FileLayout, chosen: Options) -> Optional[ir.Blocks]:
    """Returns blocks in the order of the files, if a shard, a position to resume at, or record numbers need them."""
    if chosen.shard is not None:
        return ir.Blocks(layout)
    if not chosen.checkpoint and chosen.random is None:
        return None
    # A block of lines is one string in memory; records are read from a block one by one.
    return ir.Blocks(layout, LINES_OF_BLOCK if layout.name == "TextLine" else 0)


def _why_not_blocks(stage: StageView) -> Optional[str]:
    reads = _reads(stage)
    if stage.external is not None or not reads:
        return "no reader reads its files"
    if len(reads) < len(stage.consumers) or stage.state.has_external_consumer:
        return "something besides readers uses its file names"
    layout = reads[0].layout
    if any(read.layout != layout for read in reads):
        return "its files are read by different readers"
    if layout.compression:
        return f"its files are compressed ({layout.compression}), so they can be read only from the beginning"
    if layout.hop_bytes not in (0, layout.record_bytes):
        return "its records overlap, or have gaps between them (hop_bytes)"
    if min(layout.skip_header_lines, layout.header_bytes, layout.footer_bytes, layout.record_bytes) < 0:
        return "its reader has a negative size"
    return None


def _reads(stage: StageView) -> Tuple[ir.Read, ...]:
    """The first steps of the consumers of *stage* that are reads."""
    firsts = [consumer.steps[0] for consumer in stage.consumers if consumer.steps]
    return tuple(first for first in firsts if isinstance(first, ir.Read))


def _shuffles(stage: StageView) -> bool:
    produce = stage.steps[0]
    is_shuffled = isinstance(produce, ir.Produce) and produce.seeds is not None
    return is_shuffled or any(queue.min_after_dequeue is not None for queue in _queues(stage))


def _capacity(stage: StageView) -> int:
    """The capacity of the smallest queue after *stage*, in elements; a large number if none is bounded."""
    bounded = [queue.capacity for queue in _queues(stage) if queue.capacity >= 0]
    return min(bounded, default=MIXED_BLOCKS * MOST_KEPT)


def _records_in_turn(stage: StageView) -> int:
    """How many records of a block come in turn: 1 if a queue takes them that does not shuffle, or takes their rows."""
    capacities = []
    for steps in _paths_to_queues(stage):
        queue = next(step for step in steps if isinstance(step, ir.Queue))
        if queue.min_after_dequeue is None or any(map(_is_of_several, steps)):
            return 1
        capacities.append(queue.capacity)
    # All readers together have MIXED_BLOCKS blocks open.
    return max(1, min(MOST_IN_TURN, min(capacities, default=0) // (2 * MIXED_BLOCKS)))


def _is_of_several(step: ir.Step) -> bool:
    """Whether *step* takes or outputs vectors that hold several elements of a queue."""
    return isinstance(step, ir.Unbatch) or (isinstance(step, ir.Read) and step.up_to is not None)


def _paths_to_queues(stage: StageView, before: Tuple[ir.Step, ...] = ()) -> Iterator[Tuple[ir.Step, ...]]:
    """Yields, for each path from *stage* to a first stage with a queue, the steps on that path."""
    for consumer in stage.consumers:
        steps = (*before, *(step for branch in (*consumer.inputs, consumer) for step in branch.steps))
        if any(isinstance(step, ir.Queue) for step in steps):
            yield steps
        else:
            yield from _paths_to_queues(consumer, steps)


def _queues(stage: StageView) -> Iterator[ir.Queue]:
    """Yields all queues downstream of *stage*."""
    for consumer in stage.consumers:
        for branch in (*consumer.inputs, consumer):
            yield from (step for step in branch.steps if isinstance(step, ir.Queue))
        yield from _queues(consumer)
