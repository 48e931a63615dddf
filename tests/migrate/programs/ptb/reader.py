import numpy as np
import tensorflow as tf


def raw_data(size):
    words = np.arange(size) * 7 % 5
    return words[: size // 2].tolist(), words[size // 2 :].tolist()


def producer(raw, batch_size, num_steps, name=None):
    """Words, and the words after them; each [batch_size, num_steps]."""
    with tf.name_scope(name, "producer", [raw, batch_size, num_steps]):
        raw = tf.convert_to_tensor(raw, name="raw", dtype=tf.int32)
        columns = int(raw.get_shape()[0]) // batch_size
        data = tf.reshape(raw[: batch_size * columns], [batch_size, columns])
        epoch_size = (columns - 1) // num_steps
        i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
        x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
        y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
        x.set_shape([batch_size, num_steps])
        y.set_shape([batch_size, num_steps])
        return x, y
