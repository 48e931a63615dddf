"""The records of skip_thoughts, dequeued in blocks from a queue that several readers fill, from files written here."""

import os
import tempfile

import tensorflow as tf
from skip_thoughts.ops import input_ops


def write(path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(20):
            sentences = {
                name: tf.train.Feature(int64_list=tf.train.Int64List(value=[number] * (1 + (number + place) % 4)))
                for place, name in enumerate(["encode", "decode_pre", "decode_post"])
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=sentences)).SerializeToString())


def batches(pattern, steps, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        queue = input_ops.prefetch_input_data(tf.TFRecordReader(), pattern, **options)
        sentences = input_ops.parse_example_batch(queue.dequeue_many(5))
        summary = tf.summary.merge_all()
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(steps):
            yield session.run([tuple(one) for one in sentences])
        fractions = tf.Summary.FromString(session.run(summary)).value
        assert len(fractions) == 2 and all(0 <= one.simple_value <= 1 for one in fractions), fractions
        coordinator.request_stop()
        coordinator.join(threads)


folder = tempfile.mkdtemp()
for number in range(2):
    write(os.path.join(folder, f"part-{number}"))
pattern = os.path.join(folder, "part-*")
in_order = list(batches(pattern, 12, shuffle=False, capacity=8))
firsts = [int(row[0]) for (ids, _), _, _ in in_order for row in ids]
assert firsts == list(range(20)) * 3, firsts
for step in in_order:
    for place, (ids, mask) in enumerate(step):
        lengths = 1 + (ids[:, 0] + place) % 4
        assert (mask.sum(axis=1) == lengths).all() and ids.shape == mask.shape == (5, lengths.max())
shuffled = list(batches(pattern, 12, shuffle=True, capacity=64, num_reader_threads=3))
assert len(shuffled) == 12 and all(ids.shape == mask.shape for step in shuffled for ids, mask in step)
