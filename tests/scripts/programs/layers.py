"""A small convolutional net of tf.layers on digits."""
from __future__ import absolute_import, division, print_function

import json
import os

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string('data_dir', '/tmp/data', 'The folder that holds digits/.')
flags.DEFINE_string('summary', '/tmp/layers.json', 'Where to write what was seen.')
flags.DEFINE_integer('batch_size', 30, 'Digits in a batch.')
flags.DEFINE_integer('num_epochs', 2, 'Passes over the training file.')
FLAGS = flags.FLAGS


def inputs():
    """The training file in its order: float32 [batch, 28, 28, 1] and int32 [batch]."""
    filename_queue = tf.train.string_input_producer(
        [os.path.join(FLAGS.data_dir, 'digits', 'train.tfrecords')], num_epochs=FLAGS.num_epochs, shuffle=False)
    _, serialized = tf.TFRecordReader().read_up_to(filename_queue, FLAGS.batch_size)
    features = tf.parse_example(serialized, {
        'image_raw': tf.FixedLenFeature([], tf.string),
        'label': tf.FixedLenFeature([], tf.int64),
    })
    images = tf.reshape(tf.decode_raw(features['image_raw'], tf.uint8), [-1, 28, 28, 1])
    images = tf.cast(images, tf.float32) / 255.0
    return tf.train.batch(
        [images, tf.cast(features['label'], tf.int32)], FLAGS.batch_size, enqueue_many=True, capacity=120)


def cnn(features, training):
    init = tf.glorot_uniform_initializer(seed=4)
    net = tf.layers.conv2d(features, 8, [5, 5], padding='same', activation=tf.nn.relu, kernel_initializer=init)
    net = tf.layers.max_pooling2d(net, pool_size=[4, 4], strides=4)
    net = tf.layers.flatten(net)
    net = tf.layers.dense(net, units=32, activation=tf.nn.relu, kernel_initializer=init, name='hidden')
    net = tf.layers.dropout(net, rate=0.4, training=training)
    return tf.layers.dense(net, units=10, kernel_initializer=init, name='logits')


def main(_):
    images, labels = inputs()
    loss = tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=cnn(images, training=False))
    train_op = tf.train.AdamOptimizer(0.003).minimize(loss, tf.train.get_or_create_global_step())

    losses, label_order = [], []
    with tf.train.SingularMonitoredSession() as sess:
        while not sess.should_stop():
            _, loss_value, label_values = sess.run([train_op, loss, labels])
            losses.append(float(loss_value))
            label_order.extend(label_values.tolist())

    with open(FLAGS.summary, 'w') as f:
        json.dump({
            'dtypes': [images.dtype.name, labels.dtype.name],
            'labels_in_order': label_order,
            'loss_fell': losses[-1] < losses[0],
            'shapes': [images.get_shape().as_list(), labels.get_shape().as_list()],
            'steps': len(losses),
            'variables': sorted([v.op.name, v.shape.as_list()] for v in tf.trainable_variables()),
        }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
    tf.app.run()
