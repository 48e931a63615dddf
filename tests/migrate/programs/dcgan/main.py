import tensorflow as tf

from model import DCGAN

BATCH_SIZE = 2


def inputs(batch_size):
    files = ["train-00000-of-00002", "train-00001-of-00002"]
    fqueue = tf.train.string_input_producer(files, shuffle=False)
    reader = tf.TFRecordReader()
    _, value = reader.read(fqueue)
    features = tf.parse_single_example(value, features={"image/raw": tf.FixedLenFeature([], tf.string)})
    image = tf.cast(tf.decode_raw(features["image/raw"], tf.uint8), tf.float32)
    image.set_shape([72])
    images = tf.train.batch([image], batch_size=batch_size, capacity=8)
    return tf.subtract(tf.div(images, 127.5), 1.0)


def main(argv=None):
    dcgan = DCGAN(BATCH_SIZE)
    real_images = inputs(BATCH_SIZE)
    z = tf.random_uniform([BATCH_SIZE, 2], minval=-1.0, maxval=1.0, seed=9)
    fakes = dcgan.generator(z)
    g_loss, d_loss = dcgan.losses(dcgan.discriminator(real_images), dcgan.discriminator(fakes, reuse=True))
    g_vars = [one for one in tf.trainable_variables() if one.name.startswith("g")]
    d_vars = [one for one in tf.trainable_variables() if one.name.startswith("d")]
    g_op = tf.train.GradientDescentOptimizer(0.1).minimize(g_loss, var_list=g_vars)
    with tf.control_dependencies([g_op]):
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(d_loss, var_list=d_vars)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.start_queue_runners(sess=sess)
        for step in range(4):
            _, g_value, d_value = sess.run([train_op, g_loss, d_loss])
            print("step %d: g %.3f, d %.3f" % (step, g_value, d_value))


if __name__ == "__main__":
    tf.app.run()
