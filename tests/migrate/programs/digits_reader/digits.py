"""A network of two layers, its loss and its training."""

import math

import tensorflow as tf

NUM_CLASSES = 3
PIXELS = 4


def inference(images, hidden_units):
    with tf.name_scope("hidden"):
        weights = tf.get_variable(
            "hidden_weights",
            [PIXELS, hidden_units],
            initializer=tf.truncated_normal_initializer(stddev=1.0 / math.sqrt(PIXELS), seed=4),
        )
        biases = tf.get_variable("hidden_biases", [hidden_units], initializer=tf.zeros_initializer())
        hidden = tf.nn.relu(tf.matmul(images, weights) + biases)
    with tf.name_scope("softmax_linear"):
        weights = tf.get_variable(
            "softmax_weights",
            [hidden_units, NUM_CLASSES],
            initializer=tf.truncated_normal_initializer(stddev=1.0 / math.sqrt(hidden_units), seed=5),
        )
        return tf.matmul(hidden, weights)


def loss(logits, labels):
    labels = tf.to_int64(labels)
    each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
    return tf.reduce_mean(each, name="xentropy_mean")


def training(total, learning_rate):
    tf.summary.scalar("loss", total)
    optimizer = tf.train.GradientDescentOptimizer(learning_rate)
    global_step = tf.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(total, global_step=global_step)
