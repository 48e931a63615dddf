"""Batches of tensor2tensor's problems, in buckets of lengths, from files that are written here."""

import os
import tempfile

import tensorflow as tf
from tensor2tensor.utils import data_reader

ENDLESS_STEPS = 40


class HParams:
    batch_size = 40
    max_length = 9
    min_length_bucket = 4
    length_bucket_step = 1.5
    batching_mantissa_bits = 1


def numbers(value, count):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=[value] * count))


def write(path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for number in range(1, 41):
            lists = {"inputs": numbers(number, 1 + number % 11), "targets": numbers(number, 1 + number % 5)}
            writer.write(tf.train.Example(features=tf.train.Features(feature=lists)).SerializeToString())


def batches(pattern, mode):
    scheme = data_reader.hparams_to_batching_scheme(HParams, drop_long_sequences=True)
    assert scheme == {"boundaries": [8], "batch_sizes": [5, 4], "max_length": 9}, scheme
    with tf.Graph().as_default():
        examples = data_reader.input_pipeline(pattern, 64, mode)
        batch = data_reader.batch_examples(examples, scheme)
        tf.train.create_global_step()
        made = []
        with tf.train.MonitoredSession() as session:
            while not session.should_stop() and len(made) < ENDLESS_STEPS:
                made.append(session.run(batch))
    for one in made:
        inputs, targets = one["inputs"], one["targets"]
        assert len(inputs) == len(targets) and inputs.shape[1] <= HParams.max_length
        assert (inputs[:, 0] == targets[:, 0]).all()
        lengths = 1 + inputs[:, 0] % 11
        assert (lengths <= 8).all() if len(inputs) == 5 else len(inputs) == 4 and (lengths == 9).all(), lengths
        assert ((inputs != 0).sum(axis=1) == lengths).all()
    return made


folder = tempfile.mkdtemp()
for number in range(3):
    write(os.path.join(folder, f"train-{number:05}-of-00003"))
pattern = os.path.join(folder, "train-*")
in_order = batches(pattern, tf.contrib.learn.ModeKeys.EVAL)
# Of the examples 93 have at most 8 elements and 9 have 9, the others more; what does not fill a batch is dropped.
sizes = sorted(len(one["inputs"]) for one in in_order)
assert sizes == [4] * 2 + [5] * 18, sizes
assert len(batches(pattern, tf.contrib.learn.ModeKeys.TRAIN)) == ENDLESS_STEPS
