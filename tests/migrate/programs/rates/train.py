"""The learning rate, a scale and a switch are fed."""

import numpy as np
import tensorflow as tf

ROWS = np.arange(8, dtype=np.float32).reshape([4, 2]) / 8
TARGETS = np.array([0.5, 1.0, 1.5, 2.0], np.float32)


def predict(rows, scale):
    w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer(0.1))
    return tf.squeeze(tf.matmul(rows * scale, w), [1])


def train(epochs):
    row, target = tf.train.slice_input_producer([ROWS, TARGETS], num_epochs=epochs, shuffle=False)
    rows, targets = tf.train.batch([row, target], 2)
    rate = tf.placeholder(tf.float32, [], name="learning_rate")
    scale = tf.placeholder(dtype=tf.float32, shape=[2], name="scale")
    training = tf.placeholder(tf.bool)
    outputs = predict(rows, scale)
    outputs = tf.where(training, outputs, outputs * 2.0)
    loss = tf.reduce_mean(tf.square(targets - outputs))
    train_op = tf.train.GradientDescentOptimizer(learning_rate=rate).minimize(loss)
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        step = 0
        try:
            while not coord.should_stop():
                scales = np.array([1.0, 0.5 + step])
                feed = 0.5 / (step + 1)
                _, value = sess.run([train_op, loss], feed_dict={rate: feed, scale: scales, training: True})
                print("%d %.5f" % (step, value))
                if step % 2:
                    print("again %.5f" % sess.run(loss, {scale: [1, 2], training: step < 3}))
                step += 1
        except tf.errors.OutOfRangeError:
            print("done")
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    train(5)
