"""LooperThread and a feeding loop under one coordinator."""
import time

import tensorflow as tf

x = tf.train.string_input_producer(['abc', 'de', 'f'], shuffle=False).dequeue()
lengths = tf.train.batch([tf.size(tf.string_split([x], delimiter='').values)], 3)


class Checker(tf.train.LooperThread):
    def __init__(self, coord, sess):
        super(Checker, self).__init__(coord, timer_interval_secs=0.01)
        self.sess, self.sums, self.stopped = sess, [], False

    def run_loop(self):
        self.sums.append(int(self.sess.run(self.sess.graph.get_tensor_by_name('sum:0'))))

    def stop_loop(self):
        self.stopped = True


total = tf.reduce_sum(lengths, name='sum')
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    checker = Checker(coord, sess)
    checker.start()
    mine = []
    while len(mine) < 5 or not checker.sums:
        mine.append(int(sess.run(total)))
        time.sleep(0.005)
    coord.request_stop()
    coord.join(threads + [checker])
    print(set(mine), set(checker.sums) == {6}, coord.joined, checker.is_alive())
