import tensorflow as tf


def mean(values):
    return float(tf.reduce_mean(values))
