# call: inputs(['a.csv', 'b.csv'], 2)
# order: any
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    shuffled, halves = tf.train.shuffle_batch([number, half], 3, capacity=20, min_after_dequeue=5)
    return tf.train.batch([shuffled, halves], size, enqueue_many=True)
