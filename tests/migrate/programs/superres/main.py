import tensorflow as tf

import srez_input

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("sample_size", 4, "Pixels of a side.")
tf.app.flags.DEFINE_integer("max_steps", 4, "Steps.")
tf.app.flags.DEFINE_float("learning_rate_start", 0.5, "The first rate.")
tf.app.flags.DEFINE_string("dataset", "pic_*.png", "Pictures.")


def _generator(features, channels):
    with tf.variable_scope("gene"):
        kernel = tf.get_variable("kernel", [1, 1, 3, channels * 4], initializer=tf.constant_initializer(0.3))
        return tf.nn.sigmoid(tf.depth_to_space(tf.nn.conv2d(features, kernel, [1, 1, 1, 1], "SAME"), 2))


def _downscale(images, k):
    return tf.nn.avg_pool(images, [1, k, k, 1], [1, k, k, 1], "VALID")


def create_loss(output, features):
    return tf.reduce_mean(tf.abs(_downscale(output, 2) - features), name="gene_loss")


def train_model():
    filenames = sorted(tf.gfile.Glob(FLAGS.dataset))
    features, labels = srez_input.setup_inputs(filenames, FLAGS.sample_size)
    output = _generator(features, 3)
    loss = create_loss(output, features)
    error = tf.reduce_mean(tf.squared_difference(output, labels))
    minimize = tf.train.AdamOptimizer(FLAGS.learning_rate_start, beta1=0.5).minimize(loss, name="gene_loss_minimize")
    sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
    sess.run(tf.global_variables_initializer())
    tf.train.start_queue_runners(sess=sess)
    for batch in range(1, FLAGS.max_steps + 1):
        _, gene_loss = sess.run([minimize, loss])
        if batch % 2 == 0:
            print("batch %d loss %.4f error %.4f" % (batch, gene_loss, sess.run(error)))


def main(argv=None):
    train_model()


if __name__ == "__main__":
    tf.app.run()
