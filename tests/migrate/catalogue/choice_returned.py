# call: inputs(["a.csv", "b.csv"], 2, shuffle=False)
# order: fixed
import tensorflow as tf


def decode(line):
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return number, tf.expand_dims(half, 0)


def inputs(files, batch_size, num_epochs=2, shuffle=True):
    names = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, value = reader.read(names)
    number, half = decode(value)
    if shuffle:
        return tf.train.shuffle_batch([number, half], batch_size, 100, 10)
    numbers, halves = tf.train.batch([number, half], batch_size)
    return numbers, halves
