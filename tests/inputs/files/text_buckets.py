"""Reviews in batches of similar length."""

import os

import tensorflow as tf
from tensorflow.contrib.training.python.training import bucket_ops


def read_review(data_dir, num_epochs):
    files = sorted(tf.gfile.Glob(os.path.join(data_dir, "reviews", "*.tfrecords")))
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=False)
    _, serialized = tf.TFRecordReader().read(queue)
    context, sequence = tf.parse_single_sequence_example(
        serialized,
        context_features={"label": tf.FixedLenFeature([], tf.int64)},
        sequence_features={"tokens": tf.FixedLenSequenceFeature([], tf.int64)},
    )
    return sequence["tokens"], context["label"]


def bucketed_reviews(data_dir, batch_size=6):
    tokens, label = read_review(data_dir, num_epochs=1)
    lengths, (tokens, labels) = bucket_ops.bucket_by_sequence_length(
        tf.size(tokens),
        [tokens, label],
        batch_size=batch_size,
        bucket_boundaries=[6, 12, 18],
        num_threads=1,
        capacity=64,
        dynamic_pad=True,
    )
    mask = tf.sequence_mask(lengths, maxlen=tf.shape(tokens)[1], dtype=tf.float32)
    return {"tokens": tokens, "lengths": lengths, "labels": labels, "mask": mask}
