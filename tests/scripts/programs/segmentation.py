"""Semantic segmentation from paired lists of pictures and masks."""
from __future__ import print_function

import argparse
import json
import os

import numpy as np
import tensorflow as tf

from reader import IGNORE_LABEL, ImageReader

BATCH_SIZE = 4
INPUT_SIZE = '48,40'
LEARNING_RATE = 0.5
NUM_CLASSES = 3
NUM_STEPS = 15
IMG_MEAN = np.array((104.0, 116.7, 122.7), dtype=np.float32)


def get_arguments():
    parser = argparse.ArgumentParser(description='A pixel classifier.')
    parser.add_argument('--batch-size', type=int, default=BATCH_SIZE, help='Number of images sent at one step.')
    parser.add_argument('--data_dir', type=str, required=True, help='Path to the directory that holds streets/.')
    parser.add_argument('--data-list', type=str, default='train.txt', help='The file that lists images and masks.')
    parser.add_argument('--input-size', type=str, default=INPUT_SIZE, help='Comma-separated height and width.')
    parser.add_argument('--num-steps', type=int, default=NUM_STEPS, help='Number of training steps.')
    parser.add_argument('--summary', type=str, required=True, help='Where to write what was seen.')
    return parser.parse_args()


def main():
    args = get_arguments()
    h, w = map(int, args.input_size.split(','))
    coord = tf.train.Coordinator()

    with tf.name_scope('create_inputs'):
        reader = ImageReader(
            os.path.join(args.data_dir, 'streets'), args.data_list, (h, w), random_scale=True, random_mirror=True)
        image_batch, label_batch = reader.dequeue(args.batch_size)
    image_batch = (image_batch - IMG_MEAN) / 128.0

    kernel = tf.Variable(tf.zeros([1, 1, 3, NUM_CLASSES]), name='kernel')
    biases = tf.Variable(tf.zeros([NUM_CLASSES]), name='biases')
    raw_output = tf.nn.bias_add(tf.nn.conv2d(image_batch, kernel, [1, 1, 1, 1], padding='SAME'), biases)

    # Pixels without a class teach nothing.
    raw_gt = tf.reshape(label_batch, [-1])
    indices = tf.squeeze(tf.where(tf.not_equal(raw_gt, IGNORE_LABEL)), 1)
    gt = tf.cast(tf.gather(raw_gt, indices), tf.int32)
    prediction = tf.gather(tf.reshape(raw_output, [-1, NUM_CLASSES]), indices)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=prediction, labels=gt))
    train_op = tf.train.MomentumOptimizer(LEARNING_RATE, 0.5).minimize(loss)

    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(config=config)
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)

    classes, pixels_of_a_class, losses = set(), [], []
    for step in range(args.num_steps):
        loss_value, labels, _ = sess.run([loss, label_batch, train_op])
        classes.update(np.unique(labels).tolist())
        pixels_of_a_class.append([int((labels == c).sum()) for c in (0, 1, 2, IGNORE_LABEL)])
        losses.append(float(loss_value))
        if step % 5 == 0:
            print('step {:d} \t loss = {:.3f}'.format(step, loss_value))
    coord.request_stop()
    coord.join(threads)

    with open(args.summary, 'w') as f:
        json.dump({
            'classes': sorted(classes),
            'dtypes': [image_batch.dtype.name, label_batch.dtype.name],
            'losses': losses,
            'pixels_of_a_class': pixels_of_a_class,
            'shapes': [image_batch.get_shape().as_list(), label_batch.get_shape().as_list()],
        }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
    main()
