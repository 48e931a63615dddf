"""Learn the kinds of flowers from a folder of JPEG files, one sub-folder a kind.

The label of a picture is the name of the folder that it lies in.
"""
from __future__ import absolute_import, division, print_function

import json
import os

import tensorflow as tf
from tensorflow.python.platform import gfile

flags = tf.app.flags
flags.DEFINE_string('data_dir', '/tmp/data', 'The pictures are data_dir/flowers/<kind>/<number>.jpg')
flags.DEFINE_string('summary', '/tmp/image_folder.json', 'Where to write what was seen')
flags.DEFINE_integer('image_size', 16, 'Pictures are resized to this height and width')
flags.DEFINE_integer('batch_size', 12, 'Pictures in a batch')
flags.DEFINE_integer('num_epochs', 3, 'Passes over the folder')
FLAGS = flags.FLAGS


def find_kinds(image_dir):
    """Names of the sub-folders, sorted."""
    return sorted(name for name in gfile.ListDirectory(image_dir) if gfile.IsDirectory(os.path.join(image_dir, name)))


def read_picture(pattern, kinds):
    """One picture, float32 [image_size, image_size, 3] in [0, 1], its label, int32 [], and its file's name."""
    filenames = tf.train.match_filenames_once(pattern)
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=FLAGS.num_epochs, shuffle=True, seed=7)
    reader = tf.WholeFileReader()
    key, contents = reader.read(filename_queue)
    image = tf.image.decode_jpeg(contents, channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    image = tf.image.resize_images(image, [FLAGS.image_size, FLAGS.image_size])
    kind = tf.string_split([key], os.sep).values[-2]
    label = tf.cast(tf.argmax(tf.cast(tf.equal(kind, kinds), tf.int32), axis=0), tf.int32)
    return image, label, key


def main(_):
    image_dir = os.path.join(FLAGS.data_dir, 'flowers')
    kinds = find_kinds(image_dir)
    image, label, key = read_picture(os.path.join(image_dir, '*', '*.jpg'), kinds)
    images, labels, keys = tf.train.batch(
        [image, label, key], batch_size=FLAGS.batch_size, capacity=64, allow_smaller_final_batch=True)

    colours = tf.reduce_mean(images, axis=[1, 2])
    weights = tf.Variable(tf.zeros([3, len(kinds)]), name='weights')
    biases = tf.Variable(tf.zeros([len(kinds)]), name='biases')
    logits = tf.nn.xw_plus_b(colours, weights, biases)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.AdamOptimizer(0.1).minimize(loss)

    label_order, first_names, batch_sizes, losses = [], [], [], []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        try:
            while not coord.should_stop():
                _, loss_value, label_values, key_values = sess.run([train_op, loss, labels, keys])
                label_order.extend(label_values.tolist())
                first_names.append(os.path.relpath(key_values[0].decode('utf-8'), image_dir))
                batch_sizes.append(len(label_values))
                losses.append(float(loss_value))
        except tf.errors.OutOfRangeError:
            print('%d pictures, last loss %.3f' % (sum(batch_sizes), losses[-1]))
        finally:
            coord.request_stop()
            coord.join(threads)

    summary = {
        'kinds': kinds,
        'shapes': [images.get_shape().as_list(), labels.get_shape().as_list(), keys.get_shape().as_list()],
        'dtypes': [images.dtype.name, labels.dtype.name, keys.dtype.name],
        'batch_sizes': batch_sizes,
        'labels_in_order': label_order,
        'first_name_of_each_batch': first_names,
        'loss_fell': losses[-2] < losses[0],
    }
    with gfile.GFile(FLAGS.summary, 'w') as f:
        f.write(json.dumps(summary, indent=1, sort_keys=True))


if __name__ == '__main__':
    tf.app.run()
