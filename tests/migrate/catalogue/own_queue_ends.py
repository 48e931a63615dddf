# call: inputs(7, 3)
# order: fixed
import tensorflow as tf


def inputs(rows, n):
    row = tf.train.range_input_producer(rows, num_epochs=1, shuffle=False).dequeue()
    queue = tf.FIFOQueue(20, [tf.int32, tf.float32], shapes=[[], [2]])
    enqueue = queue.enqueue([row, tf.ones([2]) * tf.to_float(row)])
    runner = tf.train.QueueRunner(queue, [enqueue])
    tf.train.add_queue_runner(runner)
    number, pair = queue.dequeue_many(n)
    return number, pair * 2.0
