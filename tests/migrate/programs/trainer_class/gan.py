import tensorflow as tf

from loader import DataLoader


class Model(object):
    def __init__(self, sess, batch_size=2, steps=3):
        self.sess = sess
        self.batch_size = batch_size
        self.steps = steps
        self.build_model()

    def discriminator(self, x, reuse=False):
        with tf.variable_scope("discriminator") as scope:
            if reuse:
                scope.reuse_variables()
            w = tf.get_variable("w", [1, 1], initializer=tf.constant_initializer(0.3))
            return tf.matmul(x, w)

    def generator(self, z):
        with tf.variable_scope("generator"):
            g = tf.get_variable("g", [1, 1], initializer=tf.constant_initializer(0.7))
            return tf.matmul(z, g)

    def build_model(self):
        self.z = tf.placeholder(tf.float32, [None, 1], name="z")
        self.real = DataLoader("lines.txt", self.batch_size).load()
        self.fake = self.generator(self.z)
        real_logits = self.discriminator(self.real)
        fake_logits = self.discriminator(self.fake, reuse=True)
        self.d_loss = tf.reduce_mean(tf.nn.softplus(-real_logits)) + tf.reduce_mean(tf.nn.softplus(fake_logits))
        self.g_loss = tf.reduce_mean(tf.nn.softplus(-fake_logits))
        variables = tf.trainable_variables()
        self.d_vars = [one for one in variables if "discriminator" in one.name]
        self.g_vars = [one for one in variables if "generator" in one.name]
        self.saver = tf.train.Saver()

    def train(self):
        d_optim = tf.train.GradientDescentOptimizer(0.1).minimize(self.d_loss, var_list=self.d_vars)
        g_optim = tf.train.GradientDescentOptimizer(0.1).minimize(self.g_loss, var_list=self.g_vars)
        self.sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(self.sess, coord)
        for step in range(self.steps):
            noise = [[0.1 * step], [0.2]]
            _, d_loss = self.sess.run([d_optim, self.d_loss], feed_dict={self.z: noise})
            _, g_loss = self.sess.run([g_optim, self.g_loss], feed_dict={self.z: noise})
            print("%d d %.4f g %.4f" % (step, d_loss, g_loss))
        coord.request_stop()
        coord.join(threads)


def main(_):
    with tf.Session() as sess:
        Model(sess).train()


if __name__ == "__main__":
    tf.app.run()
