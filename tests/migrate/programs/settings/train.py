import tensorflow as tf

import reader
from settings import FLAGS


def main(_):
    rows, names = reader.batches(FLAGS.size, 1)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                print(sess.run(rows).tolist())
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
