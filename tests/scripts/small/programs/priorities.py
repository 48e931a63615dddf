"""A PriorityQueue: what is urgent leaves first."""
import tensorflow as tf

queue = tf.PriorityQueue(20, [tf.string], [()])
what = tf.placeholder(tf.string, [None])
when = tf.placeholder(tf.int64, [None])
put = queue.enqueue_many([when, what])
close = queue.close()
get = queue.dequeue()
with tf.Session() as sess:
    sess.run(put, {when: [5, 1, 3], what: ['last', 'first', 'middle']})
    print(sess.run(queue.size()))
    sess.run(put, {when: [2], what: ['second']})
    sess.run(close)
    while True:
        try:
            p, w = sess.run(get)
            print(p, w.decode())
        except tf.errors.OutOfRangeError:
            break
