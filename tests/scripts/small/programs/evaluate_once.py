"""Evaluate a checkpoint: a fixed number of batches, then stop; the data would go on for ever."""
from datetime import datetime
import math

import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string('checkpoint_dir', './train_dir', '')
tf.app.flags.DEFINE_integer('num_examples', 90, '')
tf.app.flags.DEFINE_integer('batch_size', 20, '')
tf.app.flags.DEFINE_boolean('run_once', True, '')
FLAGS = tf.app.flags.FLAGS

VALUES = np.arange(30, dtype=np.float32)


def train():
  with tf.Graph().as_default(), tf.Session() as sess:
    w = tf.get_variable('w', [], initializer=tf.constant_initializer(15.5))
    average = tf.train.ExponentialMovingAverage(0.9, num_updates=tf.Variable(4))
    op = average.apply([w])
    sess.run(tf.global_variables_initializer())
    sess.run(op)
    tf.gfile.MakeDirs(FLAGS.checkpoint_dir)
    tf.train.Saver().save(sess, FLAGS.checkpoint_dir + '/model.ckpt', global_step=120)


def evaluate():
  with tf.Graph().as_default():
    value, = tf.train.slice_input_producer([VALUES], shuffle=False)
    values = tf.train.batch([value], FLAGS.batch_size, num_threads=1)
    w = tf.get_variable('w', [])
    correct = tf.greater(values, w)
    saver = tf.train.Saver(tf.train.ExponentialMovingAverage(0.9).variables_to_restore())
    with tf.Session() as sess:
      ckpt = tf.train.get_checkpoint_state(FLAGS.checkpoint_dir)
      saver.restore(sess, ckpt.model_checkpoint_path)
      global_step = ckpt.model_checkpoint_path.split('/')[-1].split('-')[-1]
      coord = tf.train.Coordinator()
      try:
        threads = []
        for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
          threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
        num_iter = int(math.ceil(FLAGS.num_examples / FLAGS.batch_size))
        true_count, step = 0, 0
        while step < num_iter and not coord.should_stop():
          true_count += np.sum(sess.run([correct]))
          step += 1
        print('step %s: precision @ 1 = %.3f' % (global_step, true_count / (num_iter * FLAGS.batch_size)))
        assert datetime.now().year > 2000
      except Exception as e:  # pylint: disable=broad-except
        coord.request_stop(e)
      coord.request_stop()
      coord.join(threads, stop_grace_period_secs=10)


def main(argv=None):
  train()
  evaluate()


if __name__ == '__main__':
  tf.app.run()
