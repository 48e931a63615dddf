"""Steps are counted in the graph; logs are written every few of them."""

import time

import tensorflow as tf

tf.app.flags.DEFINE_integer("max_steps", 5, "Steps.")
tf.app.flags.DEFINE_integer("log_frequency", 2, "Steps between lines.")
FLAGS = tf.app.flags.FLAGS


def rows(batch_size):
    queue = tf.train.string_input_producer(["a.bin"], shuffle=False)
    _, value = tf.FixedLengthRecordReader(record_bytes=4).read(queue)
    row = tf.cast(tf.decode_raw(value, tf.uint8), tf.float32)
    row.set_shape([4])
    return tf.train.batch([row[1:], row[0]], batch_size)


def train():
    with tf.Graph().as_default():
        global_step = tf.Variable(0, name="global_step", trainable=False)
        x, y = rows(2)
        w = tf.get_variable("w", [3, 1], initializer=tf.constant_initializer(0.1))
        loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w), 1) - y))
        train_op = tf.train.GradientDescentOptimizer(0.001).minimize(loss, global_step=global_step)
        init = tf.global_variables_initializer()
        sess = tf.Session()
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        step = 0
        while step < FLAGS.max_steps:
            start_time = time.time()
            _, loss_value, step = sess.run([train_op, loss, global_step])
            duration = time.time() - start_time
            assert loss_value == loss_value, "Model diverged with loss = NaN"
            if step % FLAGS.log_frequency == 0 and duration >= 0:
                print("step %d, loss = %.2f" % (step, loss_value))
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=10)
        sess.close()


def main(argv=None):
    train()


if __name__ == "__main__":
    tf.app.run(main=main)
