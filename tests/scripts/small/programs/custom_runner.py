"""A runner class of the kind that was passed around: its threads fill a RandomShuffleQueue from a generator."""
import threading

import numpy as np
import tensorflow as tf


def batches(count, size):
    for i in range(count):
        start = i * size
        yield np.arange(start, start + size, dtype=np.float32)[:, None] * [1, -1], np.arange(start, start + size)


class DataRunner(object):
    def __init__(self, size):
        self.size = size
        self.x = tf.placeholder(tf.float32, [None, 2])
        self.y = tf.placeholder(tf.int64, [None])
        self.queue = tf.RandomShuffleQueue(200, 20, [tf.float32, tf.int64], [[2], []], seed=7)
        self.enqueue = self.queue.enqueue_many([self.x, self.y])
        self.close = self.queue.close()

    def inputs(self):
        return self.queue.dequeue_many(10)

    def _main(self, sess, coord):
        with coord.stop_on_exception():
            for x, y in batches(12, 10):
                if coord.should_stop():
                    return
                sess.run(self.enqueue, {self.x: x, self.y: y})
            sess.run(self.close)

    def start(self, sess, coord):
        thread = threading.Thread(target=self._main, args=(sess, coord))
        thread.daemon = True
        thread.start()
        return [thread]


def main():
    runner = DataRunner(10)
    x, y = runner.inputs()
    same = tf.reduce_all(tf.equal(x[:, 0], tf.to_float(y)))
    seen = []
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = runner.start(sess, coord)
        threads += tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                labels, ok = sess.run([y, same])
                assert ok
                seen.extend(labels.tolist())
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    print(len(seen), sorted(seen) == list(range(120)), seen != sorted(seen))


main()
