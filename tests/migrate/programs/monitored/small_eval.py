import math

import tensorflow as tf

import small

FLAGS = tf.app.flags.FLAGS


def evaluate():
    with tf.Graph().as_default():
        pictures, labels = small.inputs(eval_data=True)
        top_1 = tf.nn.in_top_k(small.inference(pictures), labels, 1)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = []
            try:
                for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
                    threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
                num_iter, true_count, step = int(math.ceil(6 / FLAGS.batch_size)), 0, 0
                while step < num_iter and not coord.should_stop():
                    predictions = sess.run([top_1])
                    true_count += int(predictions[0].sum())
                    step += 1
                print("precision @ 1 = %.3f" % (true_count / (num_iter * FLAGS.batch_size)))
            except Exception as e:
                coord.request_stop(e)
            coord.request_stop()
            coord.join(threads, stop_grace_period_secs=10)


def main(argv=None):
    evaluate()


if __name__ == "__main__":
    tf.app.run()
