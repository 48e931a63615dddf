import tensorflow as tf

import pairs

rows, names = pairs.pairs()
squares = tf.square(rows)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for _ in range(2):
        print(sess.run(squares).tolist())
    coord.request_stop()
    coord.join(threads)
