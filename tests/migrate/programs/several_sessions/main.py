"""Trains, then looks at all that it has: two graphs, two sessions."""

import tempfile

import tensorflow as tf

ROWS = [[1.0, 0.0], [0.0, 1.0], [2.0, 1.0], [1.0, 3.0]]


def inputs(rows, batch_size, num_epochs=None):
    with tf.name_scope("input"):
        row = tf.train.slice_input_producer([rows], num_epochs=num_epochs, shuffle=False)[0]
        target = tf.reduce_sum(row)
        return tf.train.batch([row, target], batch_size, allow_smaller_final_batch=True)


def predict(rows):
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    return tf.reduce_sum(rows * w, 1)


def train(folder):
    with tf.Graph().as_default(), tf.Session() as sess:
        rows, targets = inputs(ROWS, 2)
        loss = tf.reduce_mean(tf.squared_difference(predict(rows), targets))
        op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        saver = tf.train.Saver()
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(3):
            print("loss %.4f" % sess.run([op, loss])[1])
        path = saver.save(sess, folder + "/model")
        coord.request_stop()
        coord.join(threads)
    return path


def evaluate(path):
    with tf.Graph().as_default():
        rows, targets = inputs(ROWS[:3], 2, num_epochs=1)
        error = tf.abs(predict(rows) - targets)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            saver.restore(sess, path)
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            try:
                while not coord.should_stop():
                    print(["%.3f" % one for one in sess.run(error)])
            except tf.errors.OutOfRangeError:
                print("evaluated")
            finally:
                coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    evaluate(train(tempfile.mkdtemp()))
