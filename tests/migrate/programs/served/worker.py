"""A worker of a cluster, which is a cluster of one here."""

import tensorflow as tf

import reader


def main(_):
    server = tf.train.Server.create_local_server()
    is_chief = server.server_def.task_index == 0
    numbers = reader.batches(["lines.txt"], 3)
    w = tf.get_variable("w", [], initializer=tf.zeros_initializer())
    global_step = tf.train.get_or_create_global_step()
    loss = tf.reduce_mean(tf.square(w - numbers))
    train_op = tf.train.GradientDescentOptimizer(0.25).minimize(loss, global_step=global_step)
    hooks = [tf.train.StopAtStepHook(last_step=3), tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=100)]
    with tf.train.MonitoredTrainingSession(master=server.target, is_chief=is_chief, hooks=hooks) as sess:
        while not sess.should_stop():
            _, value, step = sess.run([train_op, loss, global_step])
            print("%.4f" % value)


if __name__ == "__main__":
    tf.app.run()
