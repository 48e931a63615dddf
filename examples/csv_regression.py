"""CSV regression: text lines through decode_csv, with a header, missing values and a held-out file.

The data are the 442 patients of scikit-learn's diabetes set: ten measurements, and how far the disease came in a year.
A linear model, trained batch by batch, comes close to the exact least-squares solution.
"""

import os
import tempfile

import numpy as np
from sklearn.datasets import load_diabetes

import queuecompat.v1 as tf

FEATURES, BATCH, EPOCHS = 10, 26, 300


def write_csv(folder):
    """Two files of 182 and 182 lines to train on, one of 78; one value in fifty is left empty."""
    data = load_diabetes()
    order = np.random.RandomState(0).permutation(len(data.target))
    gap = np.random.RandomState(1).uniform(size=data.data.shape) < 0.02
    names = [os.path.join(folder, name) for name in ("part-0.csv", "part-1.csv", "held_out.csv")]
    for name, rows in zip(names, np.split(order, [182, 364])):
        with open(name, "w") as out:
            out.write(",".join([*data.feature_names, "progression"]) + "\n")
            for row in rows:
                cells = ["" if gap[row, n] else "%.6f" % value for n, value in enumerate(data.data[row])]
                out.write(",".join([*cells, "%.1f" % data.target[row]]) + "\n")
    return names[:2], names[2]


def read_line(files, num_epochs):
    """Ten measurements, float32 [10], and the target, float32 []. An empty cell is the mean, 0."""
    queue = tf.train.string_input_producer(files, num_epochs=num_epochs)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    columns = tf.decode_csv(line, record_defaults=[[0.0]] * FEATURES + [[0.0]])
    return tf.stack(columns[:FEATURES]), columns[FEATURES]


def predict(features):
    with tf.variable_scope("linear", reuse=tf.AUTO_REUSE):
        weights = tf.get_variable("weights", [FEATURES], initializer=tf.zeros_initializer())
        bias = tf.get_variable("bias", [], initializer=tf.constant_initializer(150.0))
        return tf.reduce_sum(features * weights, axis=1) * 10 + bias


def main():
    training, held_out = write_csv(tempfile.mkdtemp())
    features, target = tf.train.shuffle_batch(read_line(training, EPOCHS), BATCH, capacity=364, min_after_dequeue=200)
    loss = tf.reduce_mean(tf.square(predict(features) - target))
    train_op = tf.train.AdamOptimizer(0.5).minimize(loss)

    held_out_features, held_out_target = tf.train.batch(read_line([held_out], 1), 78)
    error = tf.reduce_sum(tf.square(predict(held_out_features) - held_out_target))
    spread = tf.reduce_sum(tf.square(held_out_target - tf.reduce_mean(held_out_target)))

    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        steps = 0
        try:
            while not coord.should_stop():
                _, value = sess.run([train_op, loss])
                steps += 1
                if steps % 1000 == 0:
                    print("step %d  mean squared error %.0f" % (steps, value))
        except tf.errors.OutOfRangeError:
            # Both from one batch: two runs would ask for two. And before the stop, which ends this pipeline, too.
            unexplained, total = sess.run([error, spread])
            print("held-out R2: %.2f, of 78 patients, after %d steps" % (1 - unexplained / total, steps))
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
