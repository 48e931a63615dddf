"""Trains and saves; restores what is best, and looks at the test data once."""

import os
import tempfile

import tensorflow as tf

FOLDER = tempfile.mkdtemp()


def read(files, size, num_epochs=None):
    queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=num_epochs)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0.0], [0.0]])
    numbers, halves = tf.train.batch([number, half], size, allow_smaller_final_batch=True)
    return numbers, halves


numbers, halves = read(["a.csv"], 2)
w = tf.get_variable("w", [], initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.abs(numbers - w * halves))
train_op = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
saver = tf.train.Saver(max_to_keep=1)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for epoch in range(3):
        for _ in range(2):
            _, value = sess.run([train_op, loss])
        path = saver.save(sess, os.path.join(FOLDER, "model"), global_step=epoch)
        print(os.path.basename(path), "%.3f" % value)
    print("w = %.3f" % sess.run(w))
    saver.restore(sess, tf.train.latest_checkpoint(FOLDER))
    print("w = %.3f" % sess.run(w))
    coord.request_stop()
    coord.join(threads)
