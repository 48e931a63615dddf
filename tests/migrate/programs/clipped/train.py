"""Gradients are clipped by their common norm; the rate falls with the step."""

import tensorflow as tf


class Config(object):
    init_scale = 0.1
    learning_rate = 0.5
    max_grad_norm = 0.25
    batch_size = 2
    max_steps = 5


def read_data(path, batch_size):
    filename_queue = tf.train.string_input_producer([path], shuffle=False, num_epochs=None)
    _, row = tf.TextLineReader().read(filename_queue)
    (number,) = tf.decode_csv(row, record_defaults=[[0.0]])
    features = tf.stack([number, tf.square(number)])
    return tf.train.batch([features, number * 3.0], batch_size=batch_size)


def train(config):
    with tf.Graph().as_default():
        features, targets = read_data("lines.txt", config.batch_size)
        initializer = tf.random_uniform_initializer(-config.init_scale, config.init_scale, seed=11)
        with tf.variable_scope("model", initializer=initializer):
            w = tf.get_variable("w", [2, 1])
            b = tf.get_variable("b", [1])
        outputs = tf.squeeze(tf.matmul(features, w) + b, axis=1)
        cost = tf.reduce_mean(tf.square(outputs - targets))
        global_step = tf.train.get_or_create_global_step()
        rate = tf.train.exponential_decay(config.learning_rate, global_step, 2, 0.5, staircase=True)
        tvars = tf.trainable_variables()
        grads, norm = tf.clip_by_global_norm(tf.gradients(cost, tvars), config.max_grad_norm)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        train_op = optimizer.apply_gradients(zip(grads, tvars), global_step=global_step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coord)
            costs = 0.0
            for step in range(config.max_steps):
                fetched = session.run({"cost": cost, "norm": norm, "train": train_op})
                costs += fetched["cost"]
                if step % 2 == 1:
                    print("%d cost %.3f norm %.3f" % (step, costs / (step + 1), fetched["norm"]))
            print("rate %.4f after %d steps" % (session.run(rate), session.run(global_step)))
            coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    train(Config())
