"""A variational autoencoder in a class that has the session."""

import numpy as np
import tensorflow as tf

DATA = np.linspace(0.0, 1.0, 24).reshape([6, 4]).astype(np.float32)


def next_rows(batch_size):
    row = tf.train.slice_input_producer([DATA], shuffle=False)[0]
    return tf.train.batch([row], batch_size=batch_size)


class VAE(object):
    def __init__(self, rows, code_size, learning_rate=0.05):
        self.x = rows
        self.code_size = code_size
        self.noise = tf.placeholder(tf.float32, [None, code_size])
        self._create_network()
        self._create_loss(learning_rate)
        self.sess = tf.Session()
        self.sess.run(tf.global_variables_initializer())

    def _dense(self, x, units, name):
        with tf.variable_scope(name):
            shape = [int(x.get_shape()[1]), units]
            w = tf.get_variable("w", shape, initializer=tf.constant_initializer(0.2))
            return tf.matmul(x, w)

    def _create_network(self):
        self.mean = self._dense(self.x, self.code_size, "mean")
        self.log_variance = self._dense(self.x, self.code_size, "log_variance")
        self.code = self.mean + tf.exp(0.5 * self.log_variance) * self.noise
        self.decoded = tf.nn.sigmoid(self._dense(self.code, 4, "decoded"))

    def _create_loss(self, learning_rate):
        wrong = tf.reduce_sum(tf.square(self.decoded - self.x), 1)
        latent = -0.5 * tf.reduce_sum(1 + self.log_variance - tf.square(self.mean) - tf.exp(self.log_variance), 1)
        self.cost = tf.reduce_mean(wrong + latent)
        self.optimizer = tf.train.AdamOptimizer(learning_rate).minimize(self.cost)

    def partial_fit(self, noise):
        _, cost = self.sess.run((self.optimizer, self.cost), feed_dict={self.noise: noise})
        return cost


def train(epochs=2, batch_size=2):
    vae = VAE(next_rows(batch_size), 2)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(vae.sess, coord)
    for epoch in range(epochs):
        total = 0.0
        for number in range(len(DATA) // batch_size):
            total += vae.partial_fit(np.full([batch_size, 2], 0.1 * number)) / len(DATA) * batch_size
        print("epoch %d cost %.4f" % (epoch + 1, total))
    coord.request_stop()
    coord.join(threads)


train()
