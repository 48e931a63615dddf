"""The model, its loss and its training op."""

import tensorflow as tf

import tutorial_input

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 2, "Pictures in a batch.")
tf.app.flags.DEFINE_string("data_dir", ".", "Where the pictures are.")


def inputs():
    return tutorial_input.inputs(FLAGS.data_dir, FLAGS.batch_size)


def inference(pixels):
    with tf.variable_scope("softmax"):
        weights = tf.get_variable("weights", [4, 3], initializer=tf.constant_initializer(0.5))
        biases = tf.get_variable("biases", [3], initializer=tf.constant_initializer(0.0))
        return tf.matmul(pixels, weights) + biases


def loss(logits, labels):
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(each))
    return tf.add_n(tf.get_collection("losses"))


def train(total, step):
    return tf.train.GradientDescentOptimizer(0.5).minimize(total, global_step=step)
