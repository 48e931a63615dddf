"""Two threads eat batches until there are no more; the main thread only says when it is enough."""
import threading

import tensorflow as tf

COUNT = tf.app.flags.DEFINE_integer('stop_after', 20, 'batches')


class Eater(threading.Thread):
    def __init__(self, sess, batch, enough):
        super(Eater, self).__init__()
        self.sess, self.batch, self.enough = sess, batch, enough
        self.eaten, self.how = 0, None

    def run(self):
        while True:
            try:
                rows = self.sess.run(self.batch)
            except tf.errors.OutOfRangeError as e:
                self.how = type(e).__name__
                return
            self.eaten += len(rows)
            if self.eaten > 100:
                self.enough.set()


def main(argv):
    row = tf.train.slice_input_producer([tf.range(1000)], shuffle=True)[0]
    batch = tf.train.shuffle_batch([row], 4, capacity=50, min_after_dequeue=10)
    coord, enough = tf.train.Coordinator(), threading.Event()
    sess = tf.Session()
    threads = tf.train.start_queue_runners(sess, coord)
    eaters = [Eater(sess, batch, enough) for _ in range(2)]
    for eater in eaters:
        eater.start()
    enough.wait()
    coord.request_stop()
    for eater in eaters:
        eater.join()
        print(eater.how, eater.eaten % 4)
    print(max(e.eaten for e in eaters) > 100)
    coord.join(threads)
    sess.close()


if __name__ == '__main__':
    tf.app.run()
