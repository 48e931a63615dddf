"""Train an embedding of faces; each epoch's file names are drawn in Python and fed back into a queue.

An index queue gives a permutation of all pictures. Its indices are fetched, turned
into paths and labels by NumPy, and enqueued by feed_dict; decoding threads dequeue
them again.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import argparse
import collections
import json
import os
import sys

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import ops
from tensorflow.python.ops import data_flow_ops


class ImageClass(object):
    """Stores the paths to images for a given class."""

    def __init__(self, name, image_paths):
        self.name = name
        self.image_paths = image_paths

    def __len__(self):
        return len(self.image_paths)


def get_dataset(path):
    dataset = []
    for class_name in sorted(os.listdir(path)):
        facedir = os.path.join(path, class_name)
        dataset.append(ImageClass(class_name, [os.path.join(facedir, img) for img in sorted(os.listdir(facedir))]))
    return dataset


def get_image_paths_and_labels(dataset):
    image_paths_flat, labels_flat = [], []
    for i in range(len(dataset)):
        image_paths_flat += dataset[i].image_paths
        labels_flat += [i] * len(dataset[i])
    return image_paths_flat, labels_flat


def create_input_pipeline(input_queue, args, batch_size_placeholder):
    """Several copies of the decoding ops behind one queue; returns images and labels."""
    images_and_labels = []
    for _ in range(args.nrof_preprocess_threads):
        filenames, label = input_queue.dequeue()
        images = []
        for filename in tf.unstack(filenames):
            file_contents = tf.read_file(filename)
            image = tf.cast(tf.image.decode_image(file_contents, channels=3), tf.float32)
            image = tf.random_crop(image, [args.image_size, args.image_size, 3])
            image = tf.image.random_flip_left_right(image)
            image.set_shape((args.image_size, args.image_size, 3))
            images.append(tf.image.per_image_standardization(image))
        images_and_labels.append([images, label])
    image_batch, label_batch = tf.train.batch_join(
        images_and_labels, batch_size=batch_size_placeholder,
        shapes=[(args.image_size, args.image_size, 3), ()], enqueue_many=True,
        capacity=4 * args.nrof_preprocess_threads * args.batch_size,
        allow_smaller_final_batch=True)
    return tf.identity(image_batch, 'image_batch'), tf.identity(label_batch, 'label_batch')


def center_loss(features, label, alfa, nrof_classes):
    """Distance of features from the moving centres of their classes."""
    centers = tf.get_variable(
        'centers', [nrof_classes, features.get_shape()[1]], dtype=tf.float32,
        initializer=tf.constant_initializer(0), trainable=False)
    label = tf.reshape(label, [-1])
    centers_batch = tf.gather(centers, label)
    diff = (1 - alfa) * (centers_batch - features)
    centers = tf.scatter_sub(centers, label, diff)
    with tf.control_dependencies([centers]):
        return tf.reduce_mean(tf.square(features - centers_batch))


def main(args):
    train_set = get_dataset(os.path.join(args.data_dir, 'faces'))
    nrof_classes = len(train_set)

    with tf.Graph().as_default():
        tf.set_random_seed(args.seed)
        global_step = tf.Variable(0, trainable=False)
        image_list, label_list = get_image_paths_and_labels(train_set)

        # A queue of indices into the image list and label list.
        labels = ops.convert_to_tensor(label_list, dtype=tf.int32)
        range_size = tf.shape(labels)[0]
        index_queue = tf.train.range_input_producer(range_size, num_epochs=None, shuffle=True, seed=5, capacity=32)
        index_dequeue_op = index_queue.dequeue_many(args.batch_size * args.epoch_size, 'index_dequeue')

        batch_size_placeholder = tf.placeholder(tf.int32, name='batch_size')
        image_paths_placeholder = tf.placeholder(tf.string, shape=(None, 1), name='image_paths')
        labels_placeholder = tf.placeholder(tf.int32, shape=(None, 1), name='labels')

        input_queue = data_flow_ops.FIFOQueue(
            capacity=2000, dtypes=[tf.string, tf.int32], shapes=[(1,), (1,)], shared_name=None, name=None)
        enqueue_op = input_queue.enqueue_many([image_paths_placeholder, labels_placeholder], name='enqueue_op')
        image_batch, label_batch = create_input_pipeline(input_queue, args, batch_size_placeholder)

        pixels = tf.reshape(image_batch, [-1, args.image_size * args.image_size * 3])
        weights = tf.get_variable(
            'weights', [args.image_size * args.image_size * 3, 16],
            initializer=tf.truncated_normal_initializer(stddev=0.1))
        prelogits = tf.matmul(pixels, weights)
        embeddings = tf.nn.l2_normalize(prelogits, 1, 1e-10, name='embeddings')
        logits_weights = tf.get_variable('logits', [16, nrof_classes], initializer=tf.zeros_initializer())
        cross_entropy = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels=label_batch, logits=tf.matmul(prelogits, logits_weights)))
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 0.01 * center_loss(
            prelogits, label_batch, 0.9, nrof_classes))
        total_loss = tf.add_n([cross_entropy] + tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        train_op = tf.train.AdagradOptimizer(0.05).minimize(total_loss, global_step=global_step)

        sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        tf.train.start_queue_runners(coord=coord, sess=sess)

        summary = {'indices': [], 'labels_of_an_epoch': [], 'batch_sizes': [], 'embeddings': []}
        losses = []
        with sess.as_default():
            for epoch in range(args.max_nrof_epochs):
                index_epoch = sess.run(index_dequeue_op)
                summary['indices'].append(index_epoch.tolist())
                label_epoch = np.array(label_list)[index_epoch]
                image_epoch = np.array(image_list)[index_epoch]
                sess.run(enqueue_op, {
                    image_paths_placeholder: np.expand_dims(image_epoch, 1),
                    labels_placeholder: np.expand_dims(label_epoch, 1)})
                seen = collections.Counter()
                for _ in range(args.epoch_size):
                    loss, _, batch_labels, emb = sess.run(
                        [cross_entropy, train_op, label_batch, embeddings], {batch_size_placeholder: args.batch_size})
                    seen.update(batch_labels.tolist())
                    losses.append(loss)
                    summary['batch_sizes'].append(len(batch_labels))
                    summary['embeddings'] = list(emb.shape)
                summary['labels_of_an_epoch'].append(sorted(seen.items()))
                print('Epoch: %d\tLoss %2.3f' % (epoch, losses[-1]))

    # Threads that wait for more file names end with the process.
    summary['shapes'] = [image_batch.get_shape().as_list(), label_batch.get_shape().as_list()]
    summary['dtypes'] = [image_batch.dtype.name, label_batch.dtype.name, str(index_epoch.dtype)]
    summary['losses_are_finite'] = bool(np.isfinite(losses).all())
    with open(args.summary, 'w') as f:
        json.dump(summary, f, indent=1, sort_keys=True)


def parse_arguments(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument('--data_dir', type=str, required=True, help='The folder that holds faces/.')
    parser.add_argument('--summary', type=str, required=True, help='Where to write what was seen.')
    parser.add_argument('--max_nrof_epochs', type=int, help='Number of epochs to run.', default=3)
    parser.add_argument('--batch_size', type=int, help='Number of images to process in a batch.', default=12)
    parser.add_argument('--epoch_size', type=int, help='Number of batches per epoch.', default=4)
    parser.add_argument('--image_size', type=int, help='Image size (height, width) in pixels.', default=20)
    parser.add_argument('--nrof_preprocess_threads', type=int, help='Copies of the decoding ops.', default=4)
    parser.add_argument('--seed', type=int, help='Random seed.', default=666)
    return parser.parse_args(argv)


if __name__ == '__main__':
    main(parse_arguments(sys.argv[1:]))
