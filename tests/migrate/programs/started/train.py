import tensorflow as tf

import graph_mode
import reader


def main(_):
    rows, names = reader.batches(2, 2)
    total = tf.reduce_sum(rows) * graph_mode.SCALE
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                value, ids = sess.run([total, names])
                print("total", value, ids.tolist())
        except tf.errors.OutOfRangeError:
            print("trained")
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
