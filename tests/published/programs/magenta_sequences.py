"""Padded batches of magenta's sequences, in order and shuffled, from a file that is written here."""

import importlib.util
import os
import sys
import tempfile

import numpy as np
import tensorflow as tf

# The package itself imports music libraries, of which this part needs none.
folder = next(os.path.join(one, "magenta") for one in sys.path if os.path.isdir(os.path.join(one, "magenta")))
spec = importlib.util.spec_from_file_location("sequences", os.path.join(folder, "common", "sequence_example_lib.py"))
sequences = importlib.util.module_from_spec(spec)
spec.loader.exec_module(sequences)


def write(path, count):
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(count):
            steps = 3 + number % 7
            inputs = [tf.train.Feature(float_list=tf.train.FloatList(value=[number, step])) for step in range(steps)]
            labels = [tf.train.Feature(int64_list=tf.train.Int64List(value=[number])) for _ in range(steps)]
            lists = {
                "inputs": tf.train.FeatureList(feature=inputs),
                "labels": tf.train.FeatureList(feature=labels),
            }
            example = tf.train.SequenceExample(feature_lists=tf.train.FeatureLists(feature_list=lists))
            writer.write(example.SerializeToString())


def batches(path, steps, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, labels, lengths = sequences.get_padded_batch([path], 5, 2, **options)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        for _ in range(steps):
            yield session.run([inputs, labels, lengths])
        coordinator.request_stop()
        coordinator.join(threads)


path = os.path.join(tempfile.mkdtemp(), "sequences.tfrecord")
write(path, 20)
in_order = [batch for batch in batches(path, 8, num_enqueuing_threads=1)]
numbers = [int(row[0]) for _, labels, _ in in_order for row in labels]
assert numbers == list(range(20)) * 2, numbers
assert all(inputs.shape == (5, max(lengths), 2) for inputs, _, lengths in in_order)
assert all(lengths.tolist() == [3 + row[0] % 7 for row in labels.tolist()] for _, labels, lengths in in_order)
shuffled = [int(row[0]) for _, labels, _ in batches(path, 40, shuffle=True) for row in labels]
assert set(shuffled) == set(range(20)) and not np.array_equal(shuffled[:20], sorted(shuffled[:20]))
print("40 elements in order, 200 shuffled")
