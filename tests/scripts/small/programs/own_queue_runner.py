"""QueueRunner by hand, four enqueue ops of a random example each."""
import tensorflow as tf

example = tf.random_uniform([2], minval=0, maxval=9, dtype=tf.int32, seed=1)
label = tf.cast(tf.reduce_sum(example) > 8, tf.int32)
queue = tf.RandomShuffleQueue(capacity=50, min_after_dequeue=10, dtypes=[tf.int32, tf.int32], shapes=[[2], []])
enqueue_op = queue.enqueue([example, label])
qr = tf.train.QueueRunner(queue, [enqueue_op] * 4)
inputs, labels = queue.dequeue_many(6)

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    enqueue_threads = qr.create_threads(sess, coord=coord, start=True)
    for step in range(10):
        if coord.should_stop():
            break
        i, l = sess.run([inputs, labels])
        # What was drawn is a race; that an example keeps its label is not.
        assert ((i.sum(axis=1) > 8) == l).all() and i.max() < 9
    coord.request_stop()
    coord.join(enqueue_threads)
    print(step, len(enqueue_threads), qr.name == queue.name, qr.exceptions_raised)
