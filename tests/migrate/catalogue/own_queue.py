# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, n):
    names = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    queue = tf.FIFOQueue(20, [tf.string], [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([line])]))
    value = queue.dequeue()
    number, half = tf.decode_csv(value, [[0], [0.0]])
    return tf.train.batch([number, half], n)
