import tensorflow as tf


class DCGAN(object):
    def __init__(self, batch_size, z_dim=2):
        self.batch_size = batch_size
        self.z_dim = z_dim

    def generator(self, z):
        with tf.variable_scope("g"):
            w = tf.get_variable("w", [self.z_dim, 72], initializer=tf.constant_initializer(0.02))
            return tf.tanh(tf.matmul(z, w))

    def discriminator(self, images, reuse=False):
        with tf.variable_scope("d", reuse=reuse):
            w = tf.get_variable("w", [72, 1], initializer=tf.constant_initializer(0.01))
            return tf.matmul(images, w)

    def losses(self, real, fake):
        def entropy(logits, labels):
            return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))

        d_loss = entropy(real, tf.ones_like(real)) + entropy(fake, tf.zeros_like(fake))
        return entropy(fake, tf.ones_like(fake)), d_loss
