"""Linear regression on arrays, as it was written for TensorFlow 0.8."""
import json
import os
import tempfile

import numpy as np
import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_string('data_dir', '', 'Not needed: the data is made here.')
flags.DEFINE_string('summary', '/tmp/pre_one.json', 'Where to write what was seen.')
flags.DEFINE_string('train_dir', None, 'Where to write curves and pictures for TensorBoard.')
flags.DEFINE_integer('batch_size', 6, 'Rows in a batch.')
flags.DEFINE_integer('num_epochs', 4, 'Passes over the rows.')
flags.DEFINE_float('learning_rate', 0.5, 'Learning rate.')


def make_rows():
  """20 small pictures of whole numbers [3, 3], and targets that follow from two of their pixels."""
  pictures = (np.arange(180) * 7 % 13).reshape(20, 3, 3).astype(np.int32)
  targets = (pictures[:, 0, 0] - 2 * pictures[:, 1, 1]).astype(np.float32) / 12
  return pictures, targets


def inputs():
  """Features of pairs of pixels, float32 [batch, 3], which pictures they are of, and their targets."""
  pictures, targets = make_rows()
  picture, target = tf.train.slice_input_producer([pictures, targets], num_epochs=FLAGS.num_epochs, shuffle=False)
  number = tf.cast(picture, tf.float32)
  first, second = tf.mul(number[0, 0], 1. / 12), tf.mul(number[1, 1], 1. / 12)
  larger = tf.select(tf.greater(first, second), first, second)
  features = tf.pack([first, second, tf.sub(larger, 0.5)])
  return tf.train.batch([features, picture, target], batch_size=FLAGS.batch_size)


def main(_):
  features, pictures, targets = inputs()
  weights = tf.Variable(tf.zeros([3, 1]))
  predictions = tf.squeeze(tf.matmul(features, weights), [1])
  loss = tf.reduce_mean(tf.square(tf.sub(predictions, targets)))
  train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss)

  tf.scalar_summary('loss', loss)
  tf.image_summary('pictures', tf.cast(tf.expand_dims(pictures, 3), tf.float32), max_images=2)
  summary_op = tf.merge_all_summaries()

  sess = tf.Session()
  sess.run(tf.initialize_all_variables())
  sess.run(tf.initialize_local_variables())
  train_dir = FLAGS.train_dir or tempfile.mkdtemp()
  writer = tf.train.SummaryWriter(train_dir, sess.graph)
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess=sess, coord=coord)

  losses, sums, tags = [], [], set()
  try:
    while not coord.should_stop():
      _, loss_value, picture_values, summary_str = sess.run([train_op, loss, pictures, summary_op])
      writer.add_summary(summary_str, len(losses))
      losses.append(float(loss_value))
      sums.append(int(picture_values.sum()))
      tags.update(value.tag for value in tf.Summary.FromString(summary_str).value)
  except tf.errors.OutOfRangeError:
    print('Done training after %d steps.' % len(losses))
  finally:
    coord.request_stop()
  coord.join(threads)
  learned = sess.run(weights)
  sess.close()
  writer.close()

  with open(FLAGS.summary, 'w') as f:
    json.dump({
        'event_files': len(os.listdir(train_dir)),
        'losses': losses,
        'picture_sums': sums,
        'shapes': [t.get_shape().as_list() for t in (features, pictures, targets)],
        'tags': sorted(tag for tag in tags if 'fraction' not in tag),
        'weights': learned[:, 0].tolist(),
    }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
