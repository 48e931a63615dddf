import tensorflow as tf

import tutorial

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("steps", 3, "How many batches are looked at.")


def main(argv=None):
    with tf.Graph().as_default():
        pixels, labels = tutorial.inputs()
        right = tf.nn.in_top_k(tutorial.inference(pixels), labels, 1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            count = 0
            for _ in range(FLAGS.steps):
                count += int(sess.run(right).sum())
            print("right", count)
            coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
