"""cut_epochs: cuts batches of rows directly out of whole epochs.

If nothing is done to single rows of a producer, such as the indices into arrays, splitting each epoch into rows and
stacking these into batches again would take most of the time.

A shuffle buffer after an endless producer that shuffles every epoch is removed if it is not larger than an epoch: the
epoch is in random order as a whole already. (A larger buffer would also mix epochs.) The queue of that buffer is then
reported as full, as it was in TF1 while its threads kept up.
"""

from __future__ import annotations

import dataclasses

from queuecompat._plan import ir
from queuecompat._plan.view import Section, sections_of, with_sections

__all__ = ["cut_epochs"]


def cut_epochs(plan: ir.Plan) -> ir.Plan:
    """Makes producers output whole epochs, and their batches cut these.

    Leaves the plan unchanged if the data end, with a seeded shuffle buffer, with an option that needs single rows
    (``checkpoint``, ``data_service``, ``on_error="skip"``), and for previews.
    """
    options = plan.options
    needs_rows = options.checkpoint or options.data_service is not None or options.on_error == "skip" or plan.is_remote
    return plan if needs_rows or plan.is_preview else with_sections(plan, map(_cut, sections_of(plan)))


def _cut(section: Section) -> Section:
    produce, batch, shuffle = section.source, section.batch, section.shuffle
    if not isinstance(produce, ir.Produce) or not isinstance(batch, ir.Batch) or batch.padded or section.queue is None:
        return section
    if section.filling != (produce,) or not _outputs_endless_rows(produce):
        return section
    if shuffle is not None and not _is_needless(shuffle, produce):
        return section
    epochs = tuple(map(ir.rows_spec, produce.components))
    mixes_for = "" if shuffle is None else section.queue.queue
    whole = dataclasses.replace(produce, components=epochs, is_whole=True, mixes_for=mixes_for)
    queue = dataclasses.replace(section.queue, components=epochs)
    refilled = dataclasses.replace(batch, refills=True)
    return dataclasses.replace(section, before=(whole,), shuffle=None, after=(), queue=queue, batch=refilled)


def _outputs_endless_rows(produce: ir.Produce) -> bool:
    # If the data end, Keras asks for the number of batches, which tf.data does not know after rebatching.
    return produce.num_epochs is None and produce.blocks is None and not produce.numbered


def _is_needless(shuffle: ir.Shuffle, produce: ir.Produce) -> bool:
    is_shuffled = produce.seeds is not None and not produce.is_seeded
    is_within_epochs = produce.rows is not None and 0 <= shuffle.buffer <= produce.rows
    return is_shuffled and is_within_epochs and shuffle.seed is None and shuffle.growth is None
