"""tf.train.limit_epochs on a constant, enqueue_many, and what is left over."""
import tensorflow as tf


def inputs():
  letters = tf.train.limit_epochs(tf.constant(list('abcde')), num_epochs=3, name='thrice')
  return tf.train.batch([letters], batch_size=4, enqueue_many=True)


if __name__ == '__main__':
  batch = inputs()
  print(batch.op.name, [v.op.name for v in tf.local_variables()])
  sess = tf.Session()
  sess.run(tf.local_variables_initializer())
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess, coord)
  try:
    while True:
      print(b''.join(sess.run(batch).tolist()).decode())
  except tf.errors.OutOfRangeError:
    print('limit')
  print([int(v) for v in sess.run(tf.local_variables())])
  coord.request_stop()
  coord.join(threads)
