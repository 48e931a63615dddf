"""Builds the run of a pass from a loader's arguments and the position at which it begins."""

from __future__ import annotations

import functools
from typing import Callable, Optional

from queuecompat.loader.arguments import Arguments
from queuecompat.loader.extent import Extent
from queuecompat.loader.failures import Tolerance
from queuecompat.loader.metrics.statistics import Counters
from queuecompat.loader.order import randomness
from queuecompat.loader.order.buffer import Buffer
from queuecompat.loader.order.delay_line import DelayLine
from queuecompat.loader.order.sampler import is_sequence, sampled
from queuecompat.loader.order.shuffle_buffer import ShuffleBuffer
from queuecompat.loader.positions import Position
from queuecompat.loader.run.epoch_run import EpochRun
from queuecompat.loader.run.feed import Feed
from queuecompat.loader.run.work import WorkerPool
from queuecompat.loader.stream.examples import Example
from queuecompat.loader.stream.limits import Limits
from queuecompat.loader.stream.streams import Stream

__all__ = ["new_run"]


def new_run(extent: Extent, position: Position, pool: WorkerPool, tolerance: Tolerance, counters: Counters) -> EpochRun:
    """Returns a run that begins at *position* and uses the workers of *pool*; it is not started yet."""
    arguments = extent.arguments
    chosen, cursor = arguments.settings, position.cursor
    finish = arguments.steps.finishing(chosen.seed, position.number)
    end = (position.number + 1) * chosen.num_epochs if chosen.num_epochs else None
    return EpochRun(
        Stream(
            _limits(arguments),
            _buffers(arguments, position),
            drop_remainder=chosen.drop_remainder,
            cursor=cursor,
            buckets=arguments.steps.buckets,
            finishes=finish is not None,
        ),
        _feed(arguments, position, end, pool),
        batch_size=chosen.batch_size,
        inferred=extent.inferred,
        pool=pool,
        tolerance=tolerance,
        counters=counters,
        made_at=chosen.made_at,
        timeout=chosen.timeout,
        most_rows=extent.rows_from(cursor, end),
        finish=finish,
    )


def _feed(arguments: Arguments, position: Position, end: Optional[int], pool: WorkerPool) -> Feed:
    """Returns the items from *position* on; *end* is the epoch after the last one, or None to go on forever."""
    chosen, cursor = arguments.settings, position.cursor
    items = sampled(
        arguments.call.source,
        (cursor.epoch, end),
        seed=chosen.seed,
        order=arguments.order,
        pool=chosen.capacity if chosen.shuffle else None,
        shard=arguments.shard,
        offset=cursor.offset,
        at_epoch=pool.begin_epoch,
    )
    is_quick = is_sequence(arguments.call.source) and arguments.order.is_quick
    source = "source" if arguments.order.is_quick else "sampler"
    return Feed(items, is_quick=is_quick, source=source, made_at=chosen.made_at)


def _limits(arguments: Arguments) -> Limits:
    chosen, each = arguments.settings, arguments.each
    return Limits.within(
        chosen.capacity,
        chosen.batch_size,
        chosen.min_after_dequeue,
        shuffle=chosen.shuffle and each is None,
        ahead=chosen.ahead,
        ahead_if_small=chosen.ahead_if_small,
        buckets=arguments.steps.buckets,
        delayed=DelayLine.depth(each or 0, chosen.batch_size),
    )


def _buffers(arguments: Arguments, position: Position) -> Callable[[int], Buffer[Example]]:
    """Returns a function that makes the buffer of a pass, given its depth."""
    chosen, cursor = arguments.settings, position.cursor
    # With buckets, the buffer passes on again everything since the oldest example that waits in a bucket; the buckets
    # themselves drop those that are in earlier batches.
    drawn = cursor.serial if arguments.steps.buckets else cursor.drawn
    shuffled = functools.partial(_shuffled, chosen.seed, position.number, cursor.serial, drawn)
    if arguments.each is None:
        return shuffled
    return functools.partial(_delayed, arguments.each, chosen.batch_size, shuffled, cursor.serial, drawn)


def _delayed(
    each: int, items: int, plain: Callable[[int], Buffer[Example]], serial: int, drawn: int, depth: int
) -> Buffer[Example]:
    """Returns a delay line if *depth* is not 0, which means that items produce several examples; otherwise the buffer
    that *plain* makes, which holds nothing."""
    return DelayLine(each, items, serial=serial, drawn=drawn) if depth else plain(0)


def _shuffled(seed: int, number: int, serial: int, drawn: int, depth: int) -> Buffer[Example]:
    return ShuffleBuffer(
        depth,
        functools.partial(randomness.pool_slots, seed, number),
        drain_order=functools.partial(randomness.drain_order, seed, number),
        serial=serial,
        drawn=drawn,
    )
