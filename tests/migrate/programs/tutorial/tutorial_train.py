import tensorflow as tf

import tutorial


def train():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        pixels, labels = tutorial.inputs()
        total = tutorial.loss(tutorial.inference(pixels), labels)
        train_op = tutorial.train(total, step)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            for _ in range(4):
                print("%.4f" % sess.run([train_op, total])[1])
            coord.request_stop()
            coord.join(threads)


def main(argv=None):
    train()


if __name__ == "__main__":
    tf.app.run()
