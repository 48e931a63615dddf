"""Reads labelled pictures of four bytes, as the tutorials do."""

import os

import tensorflow as tf

NUM_CLASSES = 3
PICTURE_BYTES = 4


def read_small(filename_queue):
    class SmallRecord(object):
        pass

    result = SmallRecord()
    reader = tf.FixedLengthRecordReader(record_bytes=1 + PICTURE_BYTES)
    result.key, value = reader.read(filename_queue)
    record = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(record, [0], [1]), tf.int32)
    result.picture = tf.strided_slice(record, [1], [1 + PICTURE_BYTES])
    return result


def inputs(data_dir, batch_size, eval_data=False):
    filenames = [os.path.join(data_dir, "pictures_%d.bin" % i) for i in range(2)]
    for name in filenames:
        if not tf.gfile.Exists(name):
            raise ValueError("Failed to find file: " + name)
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=1 if eval_data else None, shuffle=False)
    read_input = read_small(filename_queue)
    picture = tf.cast(read_input.picture, tf.float32) / 255.0
    picture.set_shape([PICTURE_BYTES])
    read_input.label.set_shape([1])
    pictures, labels = tf.train.batch([picture, read_input.label], batch_size=batch_size, num_threads=1, capacity=12)
    return pictures, tf.reshape(labels, [batch_size])
