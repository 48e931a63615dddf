"""A thread of its own feeds a queue through placeholders, closes it, and the trainer drains it."""
from __future__ import print_function

import threading

import numpy as np
import tensorflow as tf


def produce(sess, enqueue, close, x, y):
  for i in range(23):
    sess.run(enqueue, feed_dict={x: np.full([3], i, np.float32), y: i % 4})
  sess.run(close)


x = tf.placeholder(tf.float32, shape=[3])
y = tf.placeholder(tf.int64, shape=[])
queue = tf.FIFOQueue(capacity=8, dtypes=[tf.float32, tf.int64], shapes=[[3], []], name='fed')
enqueue = queue.enqueue([x, y])
close = queue.close()
xs, ys = queue.dequeue_up_to(5)
mean = tf.reduce_mean(xs)

with tf.Session() as sess:
  t = threading.Thread(target=produce, args=(sess, enqueue, close, x, y))
  t.start()
  while True:
    try:
      m, labels = sess.run([mean, ys])
    except tf.errors.OutOfRangeError:
      break
    print('%.1f' % m, labels.tolist())
  t.join()
  print(sess.run(queue.size()))
