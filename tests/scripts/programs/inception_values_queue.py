"""Classify JPEG pictures from shards of Example protos, with several readers and many preprocessing threads.

Readers enqueue serialized Examples into a RandomShuffleQueue of strings, which is
small in memory; pictures are decoded after it, one copy of the ops a thread.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import tensorflow as tf

FLAGS = tf.app.flags.FLAGS

tf.app.flags.DEFINE_string('data_dir', '/tmp/mydata', """Path to the processed data, TFRecords of Example protos.""")
tf.app.flags.DEFINE_string('summary', '/tmp/summary.json', """Where to write what was seen.""")
tf.app.flags.DEFINE_integer('batch_size', 16, """Number of images to process in a batch.""")
tf.app.flags.DEFINE_integer('image_size', 20, """Provide square images of this size.""")
tf.app.flags.DEFINE_integer('max_steps', 20, """Number of batches to run.""")
tf.app.flags.DEFINE_integer('num_preprocess_threads', 4, """Number of preprocessing threads.""")
tf.app.flags.DEFINE_integer('num_readers', 3, """Number of parallel readers during train.""")
tf.app.flags.DEFINE_integer('input_queue_memory_factor', 2, """Size of the queue of serialized Examples.""")

EXAMPLES_PER_SHARD = 20
NUM_CLASSES = 3


def parse_example_proto(example_serialized):
  """Returns the JPEG bytes, string [], and the label, int32 []."""
  feature_map = {
      'image/encoded': tf.FixedLenFeature([], dtype=tf.string, default_value=''),
      'image/class/label': tf.FixedLenFeature([], dtype=tf.int64, default_value=-1),
  }
  features = tf.parse_single_example(example_serialized, feature_map)
  return features['image/encoded'], tf.cast(features['image/class/label'], dtype=tf.int32)


def distort_color(image, thread_id):
  """Distorts colours; threads with odd numbers in another order."""
  if thread_id % 2 == 0:
    image = tf.image.random_brightness(image, max_delta=32. / 255.)
    image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
    image = tf.image.random_contrast(image, lower=0.5, upper=1.5)
  else:
    image = tf.image.random_brightness(image, max_delta=32. / 255.)
    image = tf.image.random_contrast(image, lower=0.5, upper=1.5)
    image = tf.image.random_saturation(image, lower=0.5, upper=1.5)
  return tf.clip_by_value(image, 0.0, 1.0)


def image_preprocessing(image_buffer, thread_id):
  """Decodes, cuts out a random box, resizes, flips and distorts; float32 [size, size, 3] in [-1, 1]."""
  with tf.name_scope('distort_image'):
    image = tf.image.convert_image_dtype(tf.image.decode_jpeg(image_buffer, channels=3), dtype=tf.float32)
    begin, size, _ = tf.image.sample_distorted_bounding_box(
        tf.shape(image),
        bounding_boxes=tf.zeros([1, 0, 4]),
        aspect_ratio_range=[0.75, 1.33],
        area_range=[0.3, 1.0],
        max_attempts=100,
        use_image_if_no_bounding_boxes=True)
    distorted_image = tf.slice(image, begin, size)
    # The methods of resizing take turns over the threads.
    distorted_image = tf.image.resize_images(
        distorted_image, [FLAGS.image_size, FLAGS.image_size], method=thread_id % 4)
    distorted_image.set_shape([FLAGS.image_size, FLAGS.image_size, 3])
    distorted_image = distort_color(tf.image.random_flip_left_right(distorted_image), thread_id)
    return tf.multiply(tf.subtract(distorted_image, 0.5), 2.0)


def batch_inputs():
  """Returns images, float32 [batch_size, size, size, 3], and labels, int32 [batch_size]."""
  with tf.name_scope('batch_processing'):
    data_files = tf.gfile.Glob(os.path.join(FLAGS.data_dir, 'flowers', 'flowers_train_*.tfrecord'))
    if not data_files:
      raise ValueError('No data files found for this dataset')
    filename_queue = tf.train.string_input_producer(data_files, shuffle=True, capacity=16)

    min_queue_examples = EXAMPLES_PER_SHARD * FLAGS.input_queue_memory_factor
    examples_queue = tf.RandomShuffleQueue(
        capacity=min_queue_examples + 3 * FLAGS.batch_size,
        min_after_dequeue=min_queue_examples,
        dtypes=[tf.string])
    enqueue_ops = []
    for _ in range(FLAGS.num_readers):
      reader = tf.TFRecordReader()
      _, value = reader.read(filename_queue)
      enqueue_ops.append(examples_queue.enqueue([value]))
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(examples_queue, enqueue_ops))
    example_serialized = examples_queue.dequeue()

    images_and_labels = []
    for thread_id in range(FLAGS.num_preprocess_threads):
      image_buffer, label_index = parse_example_proto(example_serialized)
      images_and_labels.append([image_preprocessing(image_buffer, thread_id), label_index])
    images, label_index_batch = tf.train.batch_join(
        images_and_labels,
        batch_size=FLAGS.batch_size,
        capacity=2 * FLAGS.num_preprocess_threads * FLAGS.batch_size)
    images = tf.reshape(tf.cast(images, tf.float32), shape=[FLAGS.batch_size, FLAGS.image_size, FLAGS.image_size, 3])
    tf.summary.image('images', images)
    return images, tf.reshape(label_index_batch, [FLAGS.batch_size])


def main(_):
  with tf.Graph().as_default(), tf.device('/cpu:0'):
    images, labels = batch_inputs()
    features = tf.reshape(tf.reduce_mean(images, axis=[1, 2]), [-1, 3])
    weights = tf.get_variable('weights', [3, NUM_CLASSES], initializer=tf.zeros_initializer())
    biases = tf.get_variable('biases', [NUM_CLASSES], initializer=tf.zeros_initializer())
    logits = tf.nn.xw_plus_b(features, weights, biases)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)
    train_op = tf.train.RMSPropOptimizer(0.05, decay=0.9, momentum=0.5, epsilon=1.0).minimize(loss)
    summary_op = tf.summary.merge_all()

    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    seen, in_range = set(), True
    for _ in range(FLAGS.max_steps):
      _, image_values, label_values = sess.run([train_op, images, labels])
      seen.update(label_values.tolist())
      in_range = in_range and bool((abs(image_values) <= 1).all())
    tags = sorted(value.tag for value in tf.Summary.FromString(sess.run(summary_op)).value)
    coord.request_stop()
    coord.join(threads)

  with tf.gfile.FastGFile(FLAGS.summary, 'w') as f:
    json.dump({
        'dtypes': [images.dtype.name, labels.dtype.name],
        'in_range': in_range,
        'labels': sorted(seen),
        'shapes': [images.get_shape().as_list(), labels.get_shape().as_list()],
        'summary_tags': tags,
    }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
