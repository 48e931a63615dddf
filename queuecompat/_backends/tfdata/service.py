"""What the workers of a tf.data service compute, and how this process fetches it.

The dispatcher hands out the elements of the dataset that a plan begins with, each to one worker (``DYNAMIC``). So the
plan begins with numbers, and rows are looked up by number: the order of an epoch is a permutation of the numbers that
is determined by a key and the number of the epoch. The rows themselves are computed once, in this process, when an
iterator is made, and are sent along with the dataset; so a worker needs nothing of this process.

A source without rows (``Endless``) has nothing to hand out: every worker computes on its own (``OFF``).
"""

from __future__ import annotations

import hashlib
import sys
import warnings
from typing import List

import tensorflow as tf

from queuecompat._backends import text
from queuecompat._backends.tfdata.functions import dataset_function, traced
from queuecompat._backends.tfdata.mapping import mapped, unbatched
from queuecompat._backends.tfdata.options import without_tfdata_optimizer
from queuecompat._backends.tfdata.reading import have_records
from queuecompat._plan import ir
from queuecompat.errors import layout

__all__ = ["fetched", "split_rows"]

service = tf.data.experimental.service

# The number of parts in which the rows of an epoch are handed out, if there are that many rows.
PARTS = 64
# How elements are distributed among workers, as a serialised ProcessingModeDef: DYNAMIC if they are, else OFF.
_DIVIDED = {True: b"\x08\x01", False: b""}


def split_rows(step: ir.Produce) -> tf.data.Dataset:
    """The rows of all epochs of *step*, looked up by numbers that a dispatcher hands out."""
    rows = _rows(step)
    count = tf.shape(rows, tf.int64)[0]
    each = tf.clip_by_value(count // PARTS, 1, step.each)
    if step.num_epochs is None:
        total, parts = tf.constant(sys.maxsize, tf.int64), tf.constant(sys.maxsize // step.each, tf.int64)
    else:
        total = count * step.num_epochs
        parts = (total + each - 1) // each

    def part(number: tf.Tensor, *given: tf.Tensor) -> List[tf.Tensor]:
        rows, count, each, total, *key = given
        first = number * each
        numbers = tf.range(first, tf.minimum(first + each, total))
        epochs, places = numbers // count, numbers % count
        with tf.control_dependencies(_tested(rows, epochs[0], places[0], step)):
            rows = tf.identity(rows)
        if key:
            epochs = tf.cast(epochs % (2**31 - 1), tf.int32)
            seeds = tf.concat([tf.tile(key[0][tf.newaxis], [tf.size(epochs), 1]), epochs[:, tf.newaxis]], 1)
            places = tf.raw_ops.RandomIndexShuffle(index=places, seed=seeds, max_index=count - 1, rounds=8)
        return [tf.gather(rows, places)]

    given = [rows, count, each, total]
    if step.seeds is not None:
        given.append(_key())
    specs = [tf.TensorSpec([], tf.int64), *(tf.TensorSpec(one.shape, one.dtype) for one in given)]
    (row,) = step.components
    some = (ir.rows_spec(row),)
    return unbatched(mapped(tf.data.Dataset.range(parts), traced(part, specs), some, arguments=given), step.components)


def _tested(rows: tf.Tensor, epoch: tf.Tensor, place: tf.Tensor, step: ir.Produce) -> List[tf.Operation]:
    """Ops that fail if all files are empty and are read forever.

    Every part has them, but only the part with the first row of an *epoch* looks into the files.
    """
    if step.read_by is None:
        return []
    epoch = tf.where(tf.equal(place, 0), epoch, tf.zeros_like(epoch))
    is_sound = have_records(rows, epoch, step.read_by)
    return [tf.raw_ops.Assert(condition=is_sound, data=[layout("QC303", stage=step.stage)])]


def _rows(step: ir.Produce) -> tf.Tensor:
    """The rows of one epoch."""
    (values,) = step.body.function([tf.TensorSpec([], tf.int64)])(tf.constant(0, tf.int64))
    if step.part is not None:
        count = tf.shape(values, tf.int64)[0]
        values = values[count * step.part.number // step.part.count : count * (step.part.number + 1) // step.part.count]
    is_sound = tf.size(values) > 0
    if step.num_epochs is not None:
        is_sound |= tf.equal(tf.shape(values)[0], 0)
    tested = tf.raw_ops.Assert(condition=is_sound, data=[layout("QC303", stage=step.stage)])
    with tf.control_dependencies([] if tested is None else [tested]):
        return tf.identity(values)


def _key() -> tf.Tensor:
    """Two random numbers, different each time, independent of the graph's seed."""
    return tf.raw_ops.RandomUniformInt(
        shape=[2], minval=tf.constant(0, tf.int32), maxval=tf.constant(2**31 - 1, tf.int32), seed=0, seed2=0
    )


def fetched(dataset: tf.data.Dataset, step: ir.Distribute, iteration: tf.Tensor) -> tf.data.Dataset:
    """The elements of *dataset*, computed by the workers of the service of *step*.

    Args:
      iteration: how many iterators there were before. Processes of the same job share elements only within the same
        iteration.
    """
    protocol, _, address = step.service.rpartition("://")
    options = tf.data.Options()
    # Steps with state in this process are not sent to workers (``_plan/service.py``); random ops may run anywhere.
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    dataset = without_tfdata_optimizer(dataset).with_options(options)
    with warnings.catch_warnings():
        # In a graph, TensorFlow reads these options of the dataset, and warns of its own access.
        warnings.simplefilter("ignore", UserWarning)
        number = service.register_dataset((protocol or "grpc", address), dataset)
    specs = dict(
        output_types=[spec.dtype for spec in step.components], output_shapes=[spec.shape for spec in step.components]
    )

    def uncompressed(element: tf.Tensor) -> List[tf.Tensor]:
        return tf.raw_ops.UncompressElement(compressed=element, **specs)

    variant = tf.raw_ops.DataServiceDatasetV4(
        dataset_id=number,
        processing_mode=_DIVIDED[step.is_split],
        address=address,
        protocol=protocol or "grpc",
        job_name="" if step.job is None else _job(step, iteration),
        consumer_index=tf.constant(-1, tf.int64),
        num_consumers=tf.constant(-1, tf.int64),
        max_outstanding_requests=tf.constant(tf.data.AUTOTUNE, tf.int64),
        iteration_counter=tf.raw_ops.DummyIterationCounter(),
        target_workers="AUTO",
        uncompress=True,
        uncompress_fn=dataset_function(traced(uncompressed, [tf.TensorSpec([], tf.variant)])),
        **specs,
    )
    return tf.data.experimental.from_variant(variant, tuple(step.components))


def _job(step: ir.Distribute, iteration: tf.Tensor) -> tf.Tensor:
    """The name of the job.

    A job has one dataset, so the name includes hashes of the pipeline and its data: only equal pipelines share a job.
    """
    (branch,) = step.branches
    described = [branch.name, text.specs(branch.components), *text.lines(branch)]
    bodies = [one.body for one in branch.steps if isinstance(one, (ir.Produce, ir.Run))]
    described += [repr(body.structural_hash()) for body in bodies]
    known = hashlib.sha1("\n".join(described).encode()).hexdigest()[:12]
    data = [_rows(one) for one in branch.steps if isinstance(one, ir.Produce)]
    data += [constant for body in bodies for constant in body.large_constants]
    prints = [_fingerprint(one) for one in data]
    words = [tf.constant(f"{step.job}/{branch.name}/{known}"), *prints, tf.strings.as_string(iteration)]
    return tf.strings.join(words, "/")


def _fingerprint(values: tf.Tensor) -> tf.Tensor:
    if values.dtype == tf.bool:
        values = tf.cast(values, tf.uint8)
    numbers = tf.raw_ops.Fingerprint(data=tf.reshape(values, [1, -1]), method="farmhash64")
    return tf.strings.reduce_join(tf.strings.as_string(tf.cast(numbers, tf.int32)), separator=".")
