"""Cross-validation: a graph and a session for each fold, all in one process."""
import numpy as np
import tensorflow as tf

data = np.arange(12, dtype=np.float32)


def fold(k):
  train = np.array([v for i, v in enumerate(data) if i % 3 != k])
  test = np.array([v for i, v in enumerate(data) if i % 3 == k])
  with tf.Graph().as_default():
    with tf.name_scope('train'):
      batch = tf.train.batch(tf.train.slice_input_producer([train], num_epochs=1, shuffle=False), 4)
    with tf.name_scope('test'):
      rest = tf.train.batch(tf.train.slice_input_producer([test], num_epochs=1, shuffle=False), 4)
    mean = tf.Variable(0.0)
    count = tf.Variable(0.0)
    update = tf.group(mean.assign_add(tf.reduce_sum(batch)), count.assign_add(tf.to_float(tf.size(batch))))
    error = tf.reduce_mean(tf.abs(rest - mean / count))
    with tf.Session() as sess:
      sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess, coord)
      try:
        while True:
          sess.run(update)
      except tf.errors.OutOfRangeError:
        result = sess.run(error)
      coord.request_stop()
      coord.join(threads)
      return result, batch.op.name, rest.op.name


for k in range(3):
  print(k, '%.3f %s %s' % fold(k))
