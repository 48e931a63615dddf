"""A watcher finds something wrong, gives its error to the coordinator, and join raises it."""
from __future__ import print_function

import threading

import tensorflow as tf


class LossIsNan(Exception):
  pass


def watch(coord, losses, event):
  event.wait()
  try:
    if losses[-1] != losses[-1]:
      raise LossIsNan('after %d steps' % len(losses))
  except LossIsNan as e:
    coord.request_stop(e)


def main():
  x = tf.train.range_input_producer(50, shuffle=False).dequeue()
  x = tf.train.batch([tf.to_float(x)], 5)
  loss = tf.reduce_mean(tf.log(3.0 - tf.reduce_max(x) / 10))
  coord = tf.train.Coordinator()
  losses, event = [], threading.Event()
  watcher = threading.Thread(target=watch, args=(coord, losses, event))
  watcher.start()
  with tf.Session() as sess:
    threads = tf.train.start_queue_runners(sess, coord)
    threads.append(watcher)
    try:
      while not coord.should_stop():
        losses.append(float(sess.run(loss)))
        if losses[-1] != losses[-1]:
          event.set()
          watcher.join()
    except tf.errors.OutOfRangeError:
      print('out of range')
    try:
      coord.join(threads)
    except LossIsNan as e:
      print('stopped: %s %s' % (type(e).__name__, e))
    print(['%.3f' % l for l in losses])


if __name__ == '__main__':
  main()
