"""Train on CSV lines of houses under a Supervisor, which runs queues, curves and checkpoints by itself."""
from __future__ import division
from __future__ import print_function

import json
import os

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('data_dir', '/tmp/data', 'The folder that holds houses/')
flags.DEFINE_string('summary', '/tmp/supervisor.json', 'Where to write what was seen')
flags.DEFINE_string('train_dir', '/tmp/supervisor_train', 'Checkpoints and event files')
flags.DEFINE_integer('batch_size', 16, 'Houses in a batch')
flags.DEFINE_integer('num_epochs', 3, 'Passes over the files')
FLAGS = flags.FLAGS


def houses():
  """Rooms and ages, float32 [batch, 2], and prices, float32 [batch], in random order; ends after num_epochs."""
  names = ['part-%d.csv' % i for i in range(3)]
  filename_queue = tf.train.string_input_producer(
      [os.path.join(FLAGS.data_dir, 'houses', name) for name in names], num_epochs=FLAGS.num_epochs)
  reader = tf.TextLineReader(skip_header_lines=True)
  keys, lines = reader.read_up_to(filename_queue, num_records=FLAGS.batch_size)
  rooms, age, _, price = tf.decode_csv(lines, [[0.0], [45.0], ['?'], [0.0]])
  features = tf.stack([rooms / 6, age / 90], axis=1)
  return tf.train.shuffle_batch(
      [features, price / 100],
      batch_size=FLAGS.batch_size,
      capacity=100,
      min_after_dequeue=50,
      enqueue_many=True,
      allow_smaller_final_batch=True)


def main(_):
  graph = tf.Graph()
  with graph.as_default():
    features, prices = houses()
    global_step = tf.Variable(0, name='global_step', trainable=False)
    weights = tf.Variable(tf.zeros([2, 1]), name='weights')
    bias = tf.Variable(0.0, name='bias')
    error = tf.squeeze(tf.matmul(features, weights), axis=1) + bias - prices
    loss = tf.reduce_mean(tf.square(error))
    tf.summary.scalar('loss', loss)
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=global_step)

    sv = tf.train.Supervisor(
        logdir=FLAGS.train_dir, save_model_secs=600, save_summaries_secs=600, global_step=global_step)
    steps, examples = 0, 0
    with sv.managed_session() as sess:
      try:
        while not sv.should_stop():
          _, price_values = sess.run([train_op, prices])
          steps += 1
          examples += len(price_values)
      except tf.errors.OutOfRangeError:
        print('Epochs done: %d steps' % steps)
      trained = int(sess.run(global_step))
      checkpoint = sv.saver.save(sess, sv.save_path, global_step=global_step)

  # What was saved is there.
  reader = tf.train.NewCheckpointReader(checkpoint)
  saved = {name: shape for name, shape in reader.get_variable_to_shape_map().items()}
  with open(FLAGS.summary, 'w') as f:
    json.dump({
        'checkpoint': os.path.basename(checkpoint),
        'dtypes': [features.dtype.name, prices.dtype.name],
        'examples': examples,
        'global_step': trained,
        'saved': saved,
        'shapes': [features.shape.as_list(), prices.shape.as_list()],
        'steps': steps,
    }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
