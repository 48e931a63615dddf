"""A tf.while_loop in front of the queue: how many steps a number takes to reach one."""
import tensorflow as tf


def inputs():
    n = tf.train.range_input_producer(15, num_epochs=1, shuffle=False).dequeue() + 1
    _, steps = tf.while_loop(
        lambda x, i: tf.not_equal(x, 1),
        lambda x, i: (tf.cond(tf.equal(x % 2, 0), lambda: x // 2, lambda: 3 * x + 1), i + 1),
        [n, tf.constant(0)])
    return tf.train.batch([n, steps], batch_size=5)


if __name__ == '__main__':
    n, steps = inputs()
    with tf.train.SingularMonitoredSession() as sess:
        while not sess.should_stop():
            values = sess.run({'n': n, 'steps': steps})
            print(dict(zip(values['n'].tolist(), values['steps'].tolist())))
    print('end')
