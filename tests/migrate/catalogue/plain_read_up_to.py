# call: inputs(['a.csv', 'b.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, lines = tf.TextLineReader(skip_header_lines=1).read_up_to(queue, 3)
    number, half = tf.decode_csv(lines, [[0], [0.0]])
    return tf.train.batch([number, half], size, enqueue_many=True)
