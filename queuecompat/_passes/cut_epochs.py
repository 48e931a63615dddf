"""cut_epochs: batches of rows of arrays are cut out of whole epochs.

Where nothing happens to the rows of a producer one by one, as to the indices into arrays, taking an epoch apart and
stacking its rows to batches again is most of the time that an element takes.

A shuffle buffer after a producer that shuffles every epoch, forever, has nothing left to do where it is no larger
than an epoch: that is in random order as a whole, and no buffer mixes it better. (A larger one mixes epochs, too.) Its
queue counts as full then, as it was while TF1's threads kept up.
"""

from __future__ import annotations

import dataclasses

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["cut_epochs"]


def cut_epochs(plan: ir.Plan) -> ir.Plan:
    """Holds back at data with an end, at seeded shuffle buffers, and where an option is about single rows."""
    options = plan.options
    needs_rows = options.checkpoint or options.data_service is not None or options.on_error == "skip" or plan.is_remote
    return plan if needs_rows or plan.is_preview else with_sections(plan, map(_cut, sections_of(plan)))


def _cut(section: Section) -> Section:
    produce, batch, pool = section.source, section.batch, section.pool
    if not isinstance(produce, ir.Produce) or not isinstance(batch, ir.Batch) or batch.padded or section.queue is None:
        return section
    if section.filling != (produce,) or not _gives_endless_rows(produce):
        return section
    if pool is not None and not _is_needless(pool, produce):
        return section
    epochs = tuple(tf.TensorSpec([None, *spec.shape], spec.dtype) for spec in produce.components)
    mixes_for = "" if pool is None else section.queue.queue
    whole = dataclasses.replace(produce, components=epochs, is_whole=True, mixes_for=mixes_for)
    queue = dataclasses.replace(section.queue, components=epochs)
    refilled = dataclasses.replace(batch, refills=True)
    return dataclasses.replace(section, before=(whole,), pool=None, after=(), queue=queue, batch=refilled)


def _gives_endless_rows(produce: ir.Produce) -> bool:
    # tf.data does not know how many batches there are of rows that are rebatched; Keras asks for that where data end.
    return produce.num_epochs is None and produce.blocks is None and not produce.numbered


def _is_needless(pool: ir.Shuffle, produce: ir.Produce) -> bool:
    is_shuffled = produce.seeds is not None and not produce.is_seeded
    is_within_epochs = produce.rows is not None and 0 <= pool.buffer <= produce.rows
    return is_shuffled and is_within_epochs and pool.seed is None and pool.growth is None
