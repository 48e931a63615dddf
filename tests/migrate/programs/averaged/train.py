"""Shadow variables follow the weights; what is saved can be read as either."""

import os
import tempfile

import tensorflow as tf

MOVING_AVERAGE_DECAY = 0.5


def numbers(batch_size):
    queue = tf.train.string_input_producer(["lines.txt"], shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.train.batch([tf.string_to_number(line)], batch_size)


def train(path):
    x = numbers(2)
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w - x))
    global_step = tf.train.get_or_create_global_step()
    apply_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(MOVING_AVERAGE_DECAY, global_step)
    with tf.control_dependencies([apply_op]):
        train_op = averages.apply(tf.trainable_variables())
    shadow = averages.average(w)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(3):
            sess.run(train_op)
            print("%.4f" % sess.run(w), "%.4f" % sess.run(shadow))
        print(sorted(name for name, _ in tf.train.list_variables(saver.save(sess, path))))
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    train(os.path.join(tempfile.mkdtemp(), "model"))
