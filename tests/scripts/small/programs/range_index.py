"""Indices come from a queue, rows from a Variable that is too big for the graph."""
import numpy as np
import tensorflow as tf

table = (np.arange(20 * 3) % 17).reshape(20, 3).astype(np.int32)

with tf.Graph().as_default() as g:
    feed = tf.placeholder(tf.int32, table.shape)
    rows = tf.Variable(feed, trainable=False, collections=[], name='rows')
    index = tf.train.range_input_producer(20, num_epochs=1, shuffle=False).dequeue()
    row = tf.gather(rows, index)
    batch = tf.train.batch([index, row], batch_size=6, allow_smaller_final_batch=True)
    init = tf.local_variables_initializer()

with tf.Session(graph=g) as sess:
    sess.run(rows.initializer, feed_dict={feed: table})
    sess.run(init)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    while True:
        try:
            i, r = sess.run(batch)
        except tf.errors.OutOfRangeError:
            break
        print(i.tolist(), r.sum(axis=1).tolist(), np.array_equal(r, table[i]))
    coord.request_stop()
    coord.join(threads)
