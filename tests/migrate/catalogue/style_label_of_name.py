# call: images_of_folder('*.csv', 2)
# order: fixed
import glob
import os

import tensorflow as tf


def labels_of(names):
    return [ord(os.path.basename(one)[0]) - ord("a") for one in names]


def read_labelled(queue):
    name, label = queue[0], queue[1]
    content = tf.read_file(name)
    size = tf.size(tf.string_split([content], "\n").values)
    return size, label


def images_of_folder(pattern, batch_size, num_epochs=2):
    names = sorted(glob.glob(pattern))
    labels = labels_of(names)
    with tf.device("/cpu:0"):
        queue = tf.train.slice_input_producer([names, labels], num_epochs=num_epochs, shuffle=False)
        size, label = read_labelled(queue)
        sizes, batch_labels = tf.train.batch(
            [size, label], batch_size=batch_size, num_threads=1, allow_smaller_final_batch=True
        )
    return sizes, tf.reshape(batch_labels, [-1])
