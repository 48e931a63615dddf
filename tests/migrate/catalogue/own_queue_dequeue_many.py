# call: inputs(['a.csv'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, n):
    names = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(names)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    queue = tf.FIFOQueue(capacity=40, dtypes=[tf.int32, tf.float32], shapes=[[], []])
    enqueue = queue.enqueue([number, half])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * 1))
    return queue.dequeue_many(n)
