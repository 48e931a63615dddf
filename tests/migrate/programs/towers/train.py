"""Each tower has a batch of its own; the gradients of all are averaged."""

import tensorflow as tf

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("towers", 2, "How many.")


def distorted(size):
    queue = tf.train.string_input_producer(["lines.txt"], shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    number = tf.string_to_number(line)
    numbers, squares = tf.train.batch([number, tf.square(number)], size)
    return numbers, squares


def tower_loss(scope):
    numbers, squares = distorted(2)
    w = tf.get_variable("w", [], initializer=tf.ones_initializer())
    return tf.reduce_mean(tf.abs(w * numbers - squares), name="loss")


def average(tower_grads):
    found = []
    for pairs in zip(*tower_grads):
        found.append((tf.reduce_mean(tf.stack([grad for grad, _ in pairs]), 0), pairs[0][1]))
    return found


def train():
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        opt = tf.train.GradientDescentOptimizer(0.1)
        grads, losses = [], []
        with tf.variable_scope(tf.get_variable_scope()):
            for i in range(FLAGS.towers):
                with tf.name_scope("tower_%d" % i) as scope:
                    loss = tower_loss(scope)
                    tf.get_variable_scope().reuse_variables()
                    losses.append(loss)
                    grads.append(opt.compute_gradients(loss))
        apply_op = opt.apply_gradients(average(grads))
        sess = tf.Session(config=tf.ConfigProto(allow_soft_placement=True))
        sess.run(tf.global_variables_initializer())
        tf.train.start_queue_runners(sess=sess)
        for step in range(3):
            values = sess.run([apply_op] + losses)[1:]
            print(step, ["%.4f" % one for one in values])


def main(argv=None):
    train()


if __name__ == "__main__":
    tf.app.run()
