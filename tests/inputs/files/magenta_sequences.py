"""Melodies: SequenceExamples of unequal length in a queue that pads, filled by hand."""

import os

import tensorflow as tf


def get_padded_batch(file_list, batch_size, input_size, num_enqueuing_threads=1):
    """Inputs, float32 [batch_size, steps, input_size]; labels, int64 [batch_size, steps]; lengths, int32 [batch_size]."""
    file_queue = tf.train.string_input_producer(file_list, shuffle=False)
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(file_queue)
    sequence_features = {
        "inputs": tf.FixedLenSequenceFeature(shape=[input_size], dtype=tf.float32),
        "labels": tf.FixedLenSequenceFeature(shape=[], dtype=tf.int64),
    }
    _, sequence = tf.parse_single_sequence_example(serialized_example, sequence_features=sequence_features)
    length = tf.shape(sequence["inputs"])[0]
    queue = tf.PaddingFIFOQueue(
        capacity=64, dtypes=[tf.float32, tf.int64, tf.int32], shapes=[(None, input_size), (None,), ()]
    )
    enqueue_ops = [queue.enqueue([sequence["inputs"], sequence["labels"], length])] * num_enqueuing_threads
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, enqueue_ops))
    return queue.dequeue_many(batch_size)


def melodies(data_dir):
    files = sorted(tf.gfile.Glob(os.path.join(data_dir, "melodies", "*.tfrecord")))
    return get_padded_batch(files, batch_size=5, input_size=4)
