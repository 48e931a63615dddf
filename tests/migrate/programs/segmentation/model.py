"""A score for each class at each pixel."""

import collections

import tensorflow as tf

ModelOptions = collections.namedtuple("ModelOptions", ["num_classes", "weight_decay"])


def multi_scale_logits(images, options, scales=(1.0, 0.5)):
    logits = {}
    for number, scale in enumerate(scales):
        with tf.variable_scope("logits", reuse=bool(number)):
            kernel = tf.get_variable(
                "kernel",
                [1, 1, 1, options.num_classes],
                initializer=tf.random_normal_initializer(stddev=0.2, seed=3),
                regularizer=lambda w: options.weight_decay * tf.nn.l2_loss(w),
            )
            logits["scale_%.1f" % scale] = tf.nn.conv2d(images * scale, kernel, [1, 1, 1, 1], "SAME")
    return logits


def add_losses(logits, labels, ignored):
    for name, one in sorted(logits.items()):
        flat = tf.reshape(labels, [-1])
        weights = tf.to_float(tf.not_equal(flat, ignored))
        tf.losses.sparse_softmax_cross_entropy(
            flat * tf.to_int32(weights), tf.reshape(one, [-1, one.shape.as_list()[-1]]), weights=weights, scope=name
        )
