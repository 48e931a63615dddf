"""Train digits on several devices: each tower gets its part of a batch, and gradients are averaged.

On a machine without so many GPUs, towers share what there is.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os
import re

import numpy as np
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_string('data_dir', '/tmp/data', """The folder that holds digits/.""")
tf.app.flags.DEFINE_string('summary', '/tmp/multi_tower.json', """Where to write what was seen.""")
tf.app.flags.DEFINE_integer('batch_size', 40, """Examples in a batch, of all towers together.""")
tf.app.flags.DEFINE_integer('max_steps', 20, """Number of batches to run.""")
tf.app.flags.DEFINE_integer('num_gpus', 2, """How many GPUs to use.""")
tf.app.flags.DEFINE_boolean('log_device_placement', False, """Whether to log device placement.""")

TOWER_NAME = 'tower'
IMAGE_PIXELS = 784
NUM_CLASSES = 10


def inputs():
  """Batches of the training file in its order, again and again."""
  filename_queue = tf.train.string_input_producer(
      [os.path.join(FLAGS.data_dir, 'digits', 'train.tfrecords')], shuffle=False)
  _, serialized = tf.TFRecordReader().read(filename_queue)
  features = tf.parse_single_example(serialized, {
      'image_raw': tf.FixedLenFeature([], tf.string),
      'label': tf.FixedLenFeature([], tf.int64),
  })
  image = tf.reshape(tf.decode_raw(features['image_raw'], tf.uint8), [IMAGE_PIXELS])
  image = tf.to_float(image) / 255 - 0.5
  return tf.train.batch([image, tf.to_int32(features['label'])], FLAGS.batch_size, num_threads=1, capacity=200)


def _variable_on_cpu(name, shape, initializer):
  with tf.device('/cpu:0'):
    return tf.get_variable(name, shape, initializer=initializer)


def tower_loss(scope, images, labels):
  """The total loss of one tower, of one part of the batch."""
  hidden_weights = _variable_on_cpu('hidden', [IMAGE_PIXELS, 32], tf.truncated_normal_initializer(stddev=0.04, seed=21))
  output_weights = _variable_on_cpu('output', [32, NUM_CLASSES], tf.truncated_normal_initializer(stddev=0.2, seed=22))
  biases = _variable_on_cpu('biases', [NUM_CLASSES], tf.constant_initializer(0.0))
  logits = tf.matmul(tf.nn.relu(tf.matmul(images, hidden_weights)), output_weights) + biases
  cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
  tf.add_to_collection('losses', cross_entropy)
  tf.add_to_collection('losses', tf.multiply(tf.nn.l2_loss(output_weights), 0.001, name='weight_loss'))

  # Only the losses of this tower.
  losses = tf.get_collection('losses', scope)
  total_loss = tf.add_n(losses, name='total_loss')
  for l in losses + [total_loss]:
    loss_name = re.sub('%s_[0-9]*/' % TOWER_NAME, '', l.op.name)
    tf.summary.scalar(loss_name, l)
  return total_loss


def average_gradients(tower_grads):
  """One list of (gradient, variable) from one such list for each tower."""
  average_grads = []
  for grad_and_vars in zip(*tower_grads):
    grads = tf.concat(axis=0, values=[tf.expand_dims(g, 0) for g, _ in grad_and_vars])
    # Variables are shared between towers; the first tower's will do.
    average_grads.append((tf.reduce_mean(grads, 0), grad_and_vars[0][1]))
  return average_grads


def train():
  """Trains for max_steps; returns what was seen."""
  with tf.Graph().as_default(), tf.device('/cpu:0'):
    global_step = tf.get_variable('global_step', [], initializer=tf.constant_initializer(0), trainable=False)
    learning_rate = tf.train.exponential_decay(0.3, global_step, 10, 0.5, staircase=True)
    opt = tf.train.GradientDescentOptimizer(learning_rate)

    images, labels = inputs()
    image_splits = tf.split(images, FLAGS.num_gpus)
    label_splits = tf.split(labels, FLAGS.num_gpus)
    tower_grads, losses = [], []
    with tf.variable_scope(tf.get_variable_scope()):
      for i in range(FLAGS.num_gpus):
        with tf.device('/gpu:%d' % i):
          with tf.name_scope('%s_%d' % (TOWER_NAME, i)) as scope:
            loss = tower_loss(scope, image_splits[i], label_splits[i])
            # Reuse variables for the next tower.
            tf.get_variable_scope().reuse_variables()
            tower_grads.append(opt.compute_gradients(loss))
            losses.append(loss)
    grads = average_gradients(tower_grads)
    apply_gradient_op = opt.apply_gradients(grads, global_step=global_step)
    variable_averages = tf.train.ExponentialMovingAverage(0.9, global_step)
    variables_averages_op = variable_averages.apply(tf.trainable_variables())
    train_op = tf.group(apply_gradient_op, variables_averages_op)

    sess = tf.Session(config=tf.ConfigProto(
        allow_soft_placement=True, log_device_placement=FLAGS.log_device_placement))
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    loss_values, label_sums = [], []
    for step in range(FLAGS.max_steps):
      values = sess.run([train_op] + losses + label_splits)[1:]
      loss_values.append([float(value) for value in values[:FLAGS.num_gpus]])
      label_sums.append([int(value.sum()) for value in values[FLAGS.num_gpus:]])
      assert not np.isnan(loss_values[-1]).any(), 'Model diverged with loss = NaN'
      if step % 10 == 0:
        print('step %d, loss = %.2f' % (step, loss_values[-1][0]))
    coord.request_stop()
    coord.join(threads)

  return {
      'dtypes': [images.dtype.name, labels.dtype.name],
      'global_variables': len(grads),
      'label_sums': label_sums,
      'losses': loss_values,
      'shapes': [[t.shape.as_list() for t in splits] for splits in (image_splits, label_splits)],
  }


def main(argv=None):  # pylint: disable=unused-argument
  summary = train()
  with tf.gfile.GFile(FLAGS.summary, 'w') as f:
    f.write(json.dumps(summary, indent=1, sort_keys=True))


if __name__ == '__main__':
  tf.app.run()
