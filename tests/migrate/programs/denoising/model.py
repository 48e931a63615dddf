import tensorflow as tf


class Denoiser(object):
    """Takes the noise out of rows; a trainer asks it for one step after the other."""

    def __init__(self, clean, width, rate):
        self.clean = clean
        noisy = clean + 0.1 * tf.sin(clean * 50.0)
        hidden = self._layer(noisy, width, "hidden", tf.nn.relu)
        self.output = self._layer(hidden, clean.get_shape().as_list()[1], "output")
        self.loss = tf.reduce_mean(tf.square(self.output - clean))
        self.train_op = tf.train.RMSPropOptimizer(rate).minimize(self.loss)

    def _layer(self, x, units, name, activation=None):
        with tf.variable_scope(name):
            w = tf.get_variable("w", [x.get_shape().as_list()[1], units], initializer=tf.constant_initializer(0.3))
            b = tf.get_variable("b", [units], initializer=tf.zeros_initializer())
            y = tf.matmul(x, w) + b
            return y if activation is None else activation(y)
