import tensorflow as tf

import reader


def train(flags):
    numbers = reader.inputs(flags.batch_size)
    weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(numbers * weight - 1.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for number in range(flags.steps):
            print(number, "%.4f" % sess.run([loss, step])[0])
        coord.request_stop()
        coord.join(threads)


def test(flags):
    total = tf.reduce_sum(reader.inputs(flags.batch_size, 1))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                print("total", sess.run(total))
        except tf.errors.OutOfRangeError:
            print("end")
        finally:
            coord.request_stop()
        coord.join(threads)
