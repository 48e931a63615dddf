"""Labelled pictures of four bytes from a binary file: the first byte is the label."""

import os

import tensorflow as tf

SIZE = 5


def read_picture(queue):
    class Picture(object):
        pass

    result = Picture()
    reader = tf.FixedLengthRecordReader(record_bytes=SIZE)
    result.key, value = reader.read(queue)
    data = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(data[0], tf.int32)
    result.pixels = tf.to_float(data[1:])
    return result


def _batch(pixels, label, least, size, shuffle):
    if shuffle:
        pixels, label = tf.train.shuffle_batch(
            [pixels, label], batch_size=size, capacity=least + 3 * size, min_after_dequeue=least
        )
    else:
        pixels, label = tf.train.batch([pixels, label], batch_size=size, capacity=least + 3 * size)
    return pixels, tf.reshape(label, [size])


def inputs(folder, size, shuffle=False):
    files = [os.path.join(folder, "pictures_%d.bin" % number) for number in range(2)]
    queue = tf.train.string_input_producer(files, shuffle=False)
    picture = read_picture(queue)
    picture.pixels.set_shape([SIZE - 1])
    return _batch(picture.pixels / 255.0, picture.label, 4, size, shuffle)
