import tensorflow as tf


def _dense(x, units, name, activation=tf.identity):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [x.shape[1].value, units], initializer=tf.constant_initializer(0.4))
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        return activation(tf.matmul(x, kernel) + bias)


def autoencoder(x, reuse=False):
    with tf.variable_scope("autoencoder", reuse=reuse):
        code = _dense(x, 2, "encoder", tf.nn.relu)
        return code, _dense(code, x.shape[1].value, "back")
