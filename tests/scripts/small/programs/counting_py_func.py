"""A Python function with a counter and no lock; one thread calls it."""
import time

import numpy as np
import tensorflow as tf


class Reader(object):
    def __init__(self):
        self.position, self.inside, self.overlaps = 0, 0, 0

    def next_row(self, step):
        self.inside += 1
        if self.inside > 1:
            self.overlaps += 1
        position = self.position
        time.sleep(0.002)
        self.position = position + 1
        self.inside -= 1
        return np.int64(position)


reader = Reader()
step = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
row = tf.py_func(reader.next_row, [step], tf.int64, stateful=False)
row.set_shape([])
batch = tf.train.batch([row], 8, num_threads=1, capacity=16)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while True:
            print(sess.run(batch).tolist())
    except tf.errors.OutOfRangeError:
        print('overlaps', reader.overlaps)
    coord.request_stop()
    coord.join(threads)
