"""Trains a softmax classifier on CIFAR-10's binary files.

The input is read with a FixedLengthRecordReader, distorted, and mixed in a
RandomShuffleQueue; MonitoredTrainingSession runs the queue runners.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import numpy as np
from six.moves import xrange  # pylint: disable=redefined-builtin
import tensorflow as tf

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_string('data_dir', '/tmp/cifar10_data', """Path to the data, which lies in data_dir/cifar.""")
tf.app.flags.DEFINE_string('summary', '/tmp/cifar10_summary.json', """Where to write what was seen.""")
tf.app.flags.DEFINE_integer('batch_size', 32, """Number of images to process in a batch.""")
tf.app.flags.DEFINE_integer('max_steps', 30, """Number of batches to run.""")
tf.app.flags.DEFINE_boolean('use_fp16', False, """Train the model using fp16.""")

IMAGE_SIZE = 24
NUM_CLASSES = 10
NUM_EXAMPLES_FOR_TRAIN = 200
NUM_EXAMPLES_FOR_EVAL = 50


def read_cifar10(filename_queue):
  """Reads and parses one example; returns its label, int32 [1], and its image, uint8 [32, 32, 3]."""
  label_bytes = 1
  height, width, depth = 32, 32, 3
  image_bytes = height * width * depth
  reader = tf.FixedLengthRecordReader(record_bytes=label_bytes + image_bytes)
  _, value = reader.read(filename_queue)
  record_bytes = tf.decode_raw(value, tf.uint8)
  label = tf.cast(tf.strided_slice(record_bytes, [0], [label_bytes]), tf.int32)
  depth_major = tf.reshape(
      tf.strided_slice(record_bytes, [label_bytes], [label_bytes + image_bytes]), [depth, height, width])
  return label, tf.transpose(depth_major, [1, 2, 0])


def distorted_inputs():
  """Returns shuffled training batches: images, float32 [batch, 24, 24, 3], and labels, int32 [batch]."""
  filenames = [os.path.join(FLAGS.data_dir, 'cifar', 'data_batch_%d.bin' % i) for i in xrange(1, 4)]
  for f in filenames:
    if not tf.gfile.Exists(f):
      raise ValueError('Failed to find file: ' + f)
  filename_queue = tf.train.string_input_producer(filenames)
  label, image = read_cifar10(filename_queue)
  distorted_image = tf.random_crop(tf.cast(image, tf.float32), [IMAGE_SIZE, IMAGE_SIZE, 3])
  distorted_image = tf.image.random_flip_left_right(distorted_image)
  distorted_image = tf.image.random_brightness(distorted_image, max_delta=63)
  distorted_image = tf.image.random_contrast(distorted_image, lower=0.2, upper=1.8)
  float_image = tf.image.per_image_standardization(distorted_image)
  float_image.set_shape([IMAGE_SIZE, IMAGE_SIZE, 3])
  label.set_shape([1])
  min_queue_examples = int(NUM_EXAMPLES_FOR_TRAIN * 0.4)
  images, label_batch = tf.train.shuffle_batch(
      [float_image, label],
      batch_size=FLAGS.batch_size,
      num_threads=16,
      capacity=min_queue_examples + 3 * FLAGS.batch_size,
      min_after_dequeue=min_queue_examples)
  tf.summary.image('images', images)
  return images, tf.reshape(label_batch, [FLAGS.batch_size])


def eval_inputs():
  """Returns the central crops of the test file in their order, once."""
  filename_queue = tf.train.string_input_producer(
      [os.path.join(FLAGS.data_dir, 'cifar', 'test_batch.bin')], num_epochs=1, shuffle=False)
  label, image = read_cifar10(filename_queue)
  resized_image = tf.image.resize_image_with_crop_or_pad(image, IMAGE_SIZE, IMAGE_SIZE)
  label.set_shape([1])
  images, labels = tf.train.batch([resized_image, label], batch_size=16, num_threads=1)
  return images, tf.reshape(labels, [-1])


def inference(images):
  dim = IMAGE_SIZE * IMAGE_SIZE * 3
  weights = tf.get_variable('weights', [dim, NUM_CLASSES], initializer=tf.truncated_normal_initializer(stddev=1e-3))
  biases = tf.get_variable('biases', [NUM_CLASSES], initializer=tf.constant_initializer(0.0))
  return tf.add(tf.matmul(tf.reshape(images, [-1, dim]), weights), biases, name='softmax_linear')


def train():
  """Trains for max_steps; returns what was seen."""
  losses, seen = [], set()
  with tf.Graph().as_default():
    global_step = tf.train.get_or_create_global_step()
    with tf.device('/cpu:0'):
      images, labels = distorted_inputs()
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=inference(images)))
    tf.summary.scalar('loss', loss)
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.max_steps), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(
        hooks=hooks, config=tf.ConfigProto(log_device_placement=False)) as mon_sess:
      while not mon_sess.should_stop():
        _, loss_value, label_values = mon_sess.run([train_op, loss, labels])
        losses.append(loss_value)
        seen.update(label_values.tolist())
  print('loss of the first step %.3f, of the last ones %.3f' % (losses[0], np.mean(losses[-5:])))
  return {
      'steps': len(losses),
      'shapes': [images.get_shape().as_list(), labels.get_shape().as_list()],
      'dtypes': [images.dtype.name, labels.dtype.name],
      'labels': sorted(seen),
      'loss_fell': bool(np.mean(losses[-5:]) < losses[0]),
  }


def evaluate():
  """Reads the test file once; returns what was seen."""
  eval_labels, pixel_sums = [], []
  with tf.Graph().as_default():
    images, labels = eval_inputs()
    with tf.Session() as sess:
      sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess=sess, coord=coord)
      for _ in xrange(NUM_EXAMPLES_FOR_EVAL // 16):
        image_values, label_values = sess.run([images, labels])
        eval_labels.extend(label_values.tolist())
        pixel_sums.append(int(image_values.sum(dtype=np.int64)))
      coord.request_stop()
      coord.join(threads)
  return {'eval_labels': eval_labels, 'eval_pixel_sums': pixel_sums, 'eval_dtype': images.dtype.name}


def main(argv=None):  # pylint: disable=unused-argument
  summary = train()
  summary.update(evaluate())
  with tf.gfile.GFile(FLAGS.summary, 'w') as f:
    f.write(json.dumps(summary, indent=1, sort_keys=True))


if __name__ == '__main__':
  tf.app.run()
