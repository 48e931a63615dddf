"""Two networks against each other: each optimizer has the variables of its own scope."""

import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("batch_size", 2, "Rows in a batch.")
flags.DEFINE_integer("steps", 4, "Steps of each network.")
FLAGS = flags.FLAGS


def lrelu(x, leak=0.2):
    return tf.maximum(x, leak * x)


def linear(x, size, scope):
    with tf.variable_scope(scope):
        w = tf.get_variable("w", [x.get_shape().as_list()[-1], size], initializer=tf.constant_initializer(0.3))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.1))
        return tf.nn.bias_add(tf.matmul(x, w), b)


def generator(z):
    with tf.variable_scope("generator"):
        return tf.tanh(linear(lrelu(linear(z, 3, "h0")), 1, "h1"))


def discriminator(x, reuse=False):
    with tf.variable_scope("discriminator", reuse=reuse):
        return linear(lrelu(linear(x, 2, "h0")), 1, "h1")


def load(path):
    queue = tf.train.string_input_producer([path], shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    value = tf.string_to_number(line) / 4.0
    batch = tf.train.batch([tf.reshape(value, [1])], FLAGS.batch_size)
    return batch


def cross_entropy(logits, is_real):
    labels = tf.ones_like(logits) if is_real else tf.zeros_like(logits)
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=logits, labels=labels))


def main(_):
    z = tf.placeholder(tf.float32, [None, 2], name="z")
    real = load("lines.txt")
    fake = generator(z)
    real_logits = discriminator(real)
    fake_logits = discriminator(fake, reuse=True)
    d_loss = cross_entropy(real_logits, True) + cross_entropy(fake_logits, False)
    g_loss = cross_entropy(fake_logits, True)
    t_vars = tf.trainable_variables()
    d_vars = [var for var in t_vars if var.name.startswith("discriminator")]
    g_vars = [var for var in t_vars if var.name.startswith("generator")]
    d_optim = tf.train.AdamOptimizer(0.05, beta1=0.5).minimize(d_loss, var_list=d_vars)
    g_optim = tf.train.AdamOptimizer(0.05, beta1=0.5).minimize(g_loss, var_list=g_vars)
    noise = np.random.RandomState(7)

    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for step in range(FLAGS.steps):
            batch_z = noise.uniform(-1, 1, [FLAGS.batch_size, 2]).astype(np.float32)
            _, err_d = sess.run([d_optim, d_loss], feed_dict={z: batch_z})
            # Twice, so that the discriminator does not win at once.
            sess.run(g_optim, feed_dict={z: batch_z})
            _, err_g = sess.run([g_optim, g_loss], feed_dict={z: batch_z})
            print("Step: [%2d] d_loss: %.4f, g_loss: %.4f" % (step, err_d, err_g))
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
