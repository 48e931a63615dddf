"""Train on a slim dataset with several clones, each of which dequeues batches of its own.

Then evaluate: each picture of the validation split once.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import tensorflow as tf
import tensorflow.contrib.slim as slim

import flowers

tf.app.flags.DEFINE_string('data_dir', '/tmp/data', 'The folder that holds flowers/.')
tf.app.flags.DEFINE_string('summary', '/tmp/slim_clones.json', 'Where to write what was seen.')
tf.app.flags.DEFINE_integer('num_clones', 2, 'Number of model clones to deploy.')
tf.app.flags.DEFINE_integer('num_readers', 3, 'The number of parallel readers that read data from the dataset.')
tf.app.flags.DEFINE_integer('num_preprocessing_threads', 2, 'The number of threads used to create the batches.')
tf.app.flags.DEFINE_integer('batch_size', 9, 'The number of samples in each batch.')
tf.app.flags.DEFINE_integer('max_number_of_steps', 12, 'The maximum number of training steps.')
tf.app.flags.DEFINE_integer('image_size', 16, 'Train image size.')
FLAGS = tf.app.flags.FLAGS


def preprocess_image(image):
  image = tf.image.convert_image_dtype(image, dtype=tf.float32)
  image = tf.image.resize_images(image, [FLAGS.image_size, FLAGS.image_size])
  return tf.image.random_flip_left_right(image)


def logits_of(images, num_classes):
  with tf.variable_scope('Logits', reuse=tf.AUTO_REUSE):
    weights = tf.get_variable('weights', [3, num_classes], initializer=tf.zeros_initializer())
    biases = tf.get_variable('biases', [num_classes], initializer=tf.zeros_initializer())
  return tf.nn.xw_plus_b(tf.reduce_mean(images, axis=[1, 2]), weights, biases)


def train(data_dir):
  """Trains; returns what was seen."""
  with tf.Graph().as_default():
    dataset = flowers.get_split('train', data_dir)
    with tf.device('/cpu:0'):
      provider = slim.dataset_data_provider.DatasetDataProvider(
          dataset,
          num_readers=FLAGS.num_readers,
          common_queue_capacity=20 * FLAGS.batch_size,
          common_queue_min=3 * FLAGS.batch_size)
      [image, label] = provider.get(['image', 'label'])
      image = preprocess_image(image)
      images, labels = tf.train.batch(
          [image, label],
          batch_size=FLAGS.batch_size,
          num_threads=FLAGS.num_preprocessing_threads,
          capacity=5 * FLAGS.batch_size)
      labels = tf.one_hot(labels, dataset.num_classes)
      batch_queue = slim.prefetch_queue.prefetch_queue([images, labels], capacity=2 * FLAGS.num_clones)

    clone_labels, losses = [], []
    for i in range(FLAGS.num_clones):
      with tf.name_scope('clone_%d' % i):
        images, labels = batch_queue.dequeue()
        losses.append(tf.losses.softmax_cross_entropy(labels, logits_of(images, dataset.num_classes)))
        clone_labels.append(labels)
    loss = tf.add_n(losses) / FLAGS.num_clones
    train_op = tf.train.RMSPropOptimizer(0.1).minimize(loss)

    seen, loss_values, two_alike = set(), [], 0
    with tf.Session() as sess:
      sess.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess, coord)
      for _ in range(FLAGS.max_number_of_steps):
        values = sess.run([train_op, loss] + clone_labels)
        loss_values.append(values[1])
        for value in values[2:]:
          seen.update(value.argmax(axis=1).tolist())
        two_alike += int((values[2] == values[3]).all())
      coord.request_stop()
      coord.join(threads)
  return {
      'dtypes': [images.dtype.name, labels.dtype.name],
      'labels': sorted(seen),
      'loss_fell': bool(loss_values[-1] < loss_values[0]),
      'num_samples': dataset.num_samples,
      'shapes': [images.shape.as_list(), labels.shape.as_list()],
      'clones_got_batches_of_their_own': two_alike < FLAGS.max_number_of_steps,
  }


def evaluate(data_dir):
  """Reads the validation split once; returns what was seen."""
  with tf.Graph().as_default():
    dataset = flowers.get_split('validation', data_dir)
    provider = slim.dataset_data_provider.DatasetDataProvider(dataset, num_epochs=1, shuffle=False)
    [label, record_key] = provider.get(['label', 'record_key'])
    record_key.set_shape([])
    labels, keys = tf.train.batch([label, record_key], batch_size=4, allow_smaller_final_batch=True)
    label_values, places = [], 0
    with tf.train.MonitoredSession() as sess:
      while not sess.should_stop():
        some_labels, some_keys = sess.run([labels, keys])
        label_values.extend(some_labels.tolist())
        places += sum(b'validation' in key for key in some_keys)
  return {'eval_items': sorted(provider.list_items()), 'eval_labels': label_values, 'eval_record_keys': places}


def main(_):
  tf.logging.set_verbosity(tf.logging.INFO)
  data_dir = os.path.join(FLAGS.data_dir, 'flowers')
  summary = train(data_dir)
  summary.update(evaluate(data_dir))
  with open(FLAGS.summary, 'w') as f:
    json.dump(summary, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
