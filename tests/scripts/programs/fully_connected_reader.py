"""Train and evaluate a fully connected net on TFRecords of digits.

Number of epochs, and not of steps, says when the training ends: the loop runs
until the queue raises OutOfRangeError.
"""
from __future__ import absolute_import, division, print_function

import argparse
import json
import math
import os.path
import sys
import time

import tensorflow as tf

FLAGS = None

TRAIN_FILE = 'train.tfrecords'
VALIDATION_FILE = 'validation.tfrecords'
IMAGE_PIXELS = 784
NUM_CLASSES = 10


def read_and_decode(filename_queue):
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        # Defaults are not specified since both keys are required.
        features={
            'image_raw': tf.FixedLenFeature([], tf.string),
            'label': tf.FixedLenFeature([], tf.int64),
        })

    # From a string to a vector of uint8 of a length that only we know.
    image = tf.decode_raw(features['image_raw'], tf.uint8)
    image.set_shape([IMAGE_PIXELS])

    # From [0, 255] to [-0.5, 0.5].
    image = tf.cast(image, tf.float32) * (1. / 255) - 0.5
    label = tf.cast(features['label'], tf.int32)
    return image, label


def inputs(train, batch_size, num_epochs):
    """Shuffled batches for training, or the validation file in its order; both for num_epochs."""
    if not num_epochs:
        num_epochs = None
    filename = os.path.join(FLAGS.data_dir, 'digits', TRAIN_FILE if train else VALIDATION_FILE)

    with tf.name_scope('input'):
        filename_queue = tf.train.string_input_producer([filename], num_epochs=num_epochs)
        image, label = read_and_decode(filename_queue)
        if train:
            return tf.train.shuffle_batch(
                [image, label],
                batch_size=batch_size,
                num_threads=2,
                capacity=200 + 3 * batch_size,
                # Ensures a minimum amount of shuffling of examples.
                min_after_dequeue=200)
        return tf.train.batch([image, label], batch_size=batch_size, allow_smaller_final_batch=True)


def inference(images, hidden_units):
    with tf.variable_scope('hidden', reuse=tf.AUTO_REUSE):
        weights = tf.get_variable(
            'weights', [IMAGE_PIXELS, hidden_units],
            initializer=tf.truncated_normal_initializer(stddev=1.0 / math.sqrt(float(IMAGE_PIXELS)), seed=1))
        biases = tf.get_variable('biases', [hidden_units], initializer=tf.zeros_initializer())
        hidden = tf.nn.relu(tf.matmul(images, weights) + biases)
    with tf.variable_scope('softmax_linear', reuse=tf.AUTO_REUSE):
        weights = tf.get_variable(
            'weights', [hidden_units, NUM_CLASSES],
            initializer=tf.truncated_normal_initializer(stddev=1.0 / math.sqrt(float(hidden_units)), seed=2))
        biases = tf.get_variable('biases', [NUM_CLASSES], initializer=tf.zeros_initializer())
        return tf.matmul(hidden, weights) + biases


def run_training():
    with tf.Graph().as_default():
        images, labels = inputs(train=True, batch_size=FLAGS.batch_size, num_epochs=FLAGS.num_epochs)
        val_images, val_labels = inputs(train=False, batch_size=FLAGS.batch_size, num_epochs=1)

        loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=inference(images, FLAGS.hidden1))
        train_op = tf.train.GradientDescentOptimizer(FLAGS.learning_rate).minimize(loss)
        correct = tf.nn.in_top_k(inference(val_images, FLAGS.hidden1), val_labels, 1)

        # The epochs are counted in a local variable.
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)

        step, seen = 0, set()
        try:
            while not coord.should_stop():
                start_time = time.time()
                _, loss_value, label_values = sess.run([train_op, loss, labels])
                duration = time.time() - start_time
                seen.update(label_values.tolist())
                if step % 5 == 0:
                    print('Step %d: loss = %.2f (%.3f sec)' % (step, loss_value, duration))
                step += 1
        except tf.errors.OutOfRangeError:
            print('Done training for %d epochs, %d steps.' % (FLAGS.num_epochs, step))

        val_order, num_correct = [], 0
        try:
            while not coord.should_stop():
                label_values, correct_values = sess.run([val_labels, correct])
                val_order.extend(label_values.tolist())
                num_correct += int(correct_values.sum())
        except tf.errors.OutOfRangeError:
            print('%d of %d right' % (num_correct, len(val_order)))
        finally:
            # When done, ask the threads to stop.
            coord.request_stop()

        # Wait for threads to finish.
        coord.join(threads)
        sess.close()

        return {
            'steps': step,
            'shapes': [images.get_shape().as_list(), labels.get_shape().as_list(), val_images.get_shape().as_list()],
            'dtypes': [images.dtype.name, labels.dtype.name],
            'labels': sorted(seen),
            'validation_labels': val_order,
            'learned': num_correct > 0.5 * len(val_order),
        }


def main(_):
    with open(FLAGS.summary, 'w') as f:
        json.dump(run_training(), f, indent=1, sort_keys=True)


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('--learning_rate', type=float, default=0.1, help='Initial learning rate.')
    parser.add_argument('--num_epochs', type=int, default=4, help='Number of epochs to run trainer.')
    parser.add_argument('--hidden1', type=int, default=32, help='Number of units in hidden layer 1.')
    parser.add_argument('--batch_size', type=int, default=50, help='Batch size.')
    parser.add_argument('--data_dir', type=str, default='/tmp/data', help='Directory with the training data.')
    parser.add_argument('--summary', type=str, default='/tmp/summary.json', help='Where to write what was seen.')
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
