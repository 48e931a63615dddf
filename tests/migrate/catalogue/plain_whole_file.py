# call: inputs('?.csv')
# order: fixed
import tensorflow as tf


def inputs(pattern):
    queue = tf.train.string_input_producer(tf.train.match_filenames_once(pattern), shuffle=False)
    name, text = tf.WholeFileReader().read(queue)
    size = tf.size(tf.string_split([text], "\n").values)
    return tf.train.batch([name, size], 2)
