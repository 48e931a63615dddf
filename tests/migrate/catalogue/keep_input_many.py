# call: kept(['a.csv', 'b.csv'], 2)
# order: fixed
import tensorflow as tf


def kept(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=2)
    _, lines = tf.TextLineReader(skip_header_lines=1).read_up_to(queue, 3)
    number, half = tf.decode_csv(lines, [[0], [0.0]])
    keep = tf.greater(half, 0.4)
    return tf.train.maybe_batch([number, half], keep, size, enqueue_many=True)
