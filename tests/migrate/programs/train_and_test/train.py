"""Training and test data in one graph; now and then the test batch is looked at."""

import tensorflow as tf


def pipeline(files, batch_size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0.0], [0.0]])
    x, y = tf.train.batch([half, number], batch_size)
    return x, y


def model(x, reuse=None):
    with tf.variable_scope("model", reuse=reuse):
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(0.5))
        b = tf.get_variable("b", [], initializer=tf.zeros_initializer())
        return w * x + b


train_x, train_y = pipeline(["a.csv", "b.csv"], 3)
test_x, test_y = pipeline(["c.csv"], 2)
train_loss = tf.losses.mean_squared_error(train_y, model(train_x))
test_loss = tf.reduce_mean(tf.abs(test_y - model(test_x, reuse=True)))
train_step = tf.train.AdamOptimizer(0.1).minimize(train_loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    best = float("inf")
    for i in range(6):
        _, loss_value = sess.run([train_step, train_loss])
        if i % 2 == 1:
            test_value = sess.run(test_loss)
            best = min(best, test_value)
            print("step %d train %.3f test %.3f best %.3f" % (i, loss_value, test_value, best))
    coord.request_stop()
    coord.join(threads)
