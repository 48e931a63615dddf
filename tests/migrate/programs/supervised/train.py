import os
import tempfile

import tensorflow as tf

from data import read_lines

flags = tf.flags
flags.DEFINE_integer("steps", 4, "Steps of training.")
flags.DEFINE_float("rate", 0.02, "Learning rate.")
FLAGS = flags.FLAGS


def build():
    x, y = read_lines(os.path.join(os.getcwd(), "lines.t*t"), 2)
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(w * x - y))
    tf.summary.scalar("loss", loss)
    step = tf.Variable(0, name="global_step", trainable=False)
    train_op = tf.train.AdagradOptimizer(FLAGS.rate).minimize(loss, global_step=step)
    return loss, train_op, step


def main(_):
    folder = tempfile.mkdtemp()
    with tf.Graph().as_default():
        loss, train_op, step = build()
        summary_op = tf.summary.merge_all()
        sv = tf.train.Supervisor(logdir=folder, global_step=step, summary_op=None, save_model_secs=0)
        with sv.managed_session() as sess:
            for number in range(FLAGS.steps):
                if sv.should_stop():
                    break
                _, value, summary = sess.run([train_op, loss, summary_op])
                sv.summary_computed(sess, summary)
                print("%d %.4f" % (number, value))
            print("global step", sess.run(step))
        sv.stop()


if __name__ == "__main__":
    tf.app.run()
