"""A replica of a distributed training; alone it is the chief."""

import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_integer("task_index", 0, "Which worker this is.")
flags.DEFINE_integer("num_workers", 1, "How many there are.")
flags.DEFINE_integer("train_steps", 4, "Steps of all.")
FLAGS = flags.FLAGS

FILES = ["a.csv", "b.csv", "c.csv"]


def inputs(batch_size):
    mine = FILES[FLAGS.task_index :: FLAGS.num_workers]
    queue = tf.train.string_input_producer(mine, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0.0], [0.0]])
    numbers, halves = tf.train.batch([number, half], batch_size)
    return numbers, halves


def main(unused_argv):
    is_chief = FLAGS.task_index == 0
    with tf.device("/cpu:0"):
        global_step = tf.train.get_or_create_global_step()
        numbers, halves = inputs(3)
        w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
        loss = tf.reduce_mean(tf.square(w * halves - numbers))
        train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.train_steps)]
    with tf.train.MonitoredTrainingSession(master="", is_chief=is_chief, hooks=hooks) as mon_sess:
        while not mon_sess.should_stop():
            _, step, value = mon_sess.run([train_op, global_step, loss])
            print("worker %d step %d loss %.3f" % (FLAGS.task_index, step, value))


if __name__ == "__main__":
    tf.app.run()
