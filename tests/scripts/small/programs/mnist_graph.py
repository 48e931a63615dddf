"""The tutorial's model on records of digits, by its module's own names."""
from __future__ import print_function

import tensorflow as tf
from tensorflow.examples.tutorials.mnist import mnist


def read_and_decode(filename_queue):
  _, serialized_example = tf.TFRecordReader().read(filename_queue)
  features = tf.parse_single_example(serialized_example, features={
      'image_raw': tf.FixedLenFeature([], tf.string), 'label': tf.FixedLenFeature([], tf.int64)})
  image = tf.decode_raw(features['image_raw'], tf.uint8)
  image.set_shape([mnist.IMAGE_PIXELS])
  return tf.cast(image, tf.float32) * (1. / 255) - 0.5, tf.cast(features['label'], tf.int32)


def run_training():
  with tf.Graph().as_default():
    tf.set_random_seed(1)
    queue = tf.train.string_input_producer(['data/digits/train.tfrecords'], num_epochs=4)
    image, label = read_and_decode(queue)
    images, labels = tf.train.shuffle_batch(
        [image, label], batch_size=50, num_threads=2, capacity=1000 + 3 * 50, min_after_dequeue=200)
    logits = mnist.inference(images, 32, 16)
    loss = mnist.loss(logits, labels)
    train_op = mnist.training(loss, 0.1)
    correct = mnist.evaluation(logits, labels)
    with tf.Session() as sess:
      sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
      coord = tf.train.Coordinator()
      threads = tf.train.start_queue_runners(sess=sess, coord=coord)
      losses, rights = [], []
      try:
        while not coord.should_stop():
          _, value, right = sess.run([train_op, loss, correct])
          losses.append(value)
          rights.append(right)
      except tf.errors.OutOfRangeError:
        print('Done training for %d epochs, %d steps.' % (4, len(losses)))
      finally:
        coord.request_stop()
      coord.join(threads)
    print(mnist.NUM_CLASSES, mnist.IMAGE_SIZE, sum(losses[-5:]) < sum(losses[:5]), max(rights) <= 50)
    print([v.op.name for v in tf.trainable_variables()])


if __name__ == '__main__':
  run_training()
