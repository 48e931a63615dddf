import tensorflow as tf

import reader

rows, names = reader.batches(2, 1)
factor = tf.placeholder(tf.float32, [], "factor")
scaled = rows * factor
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print(sess.run(scaled, feed_dict={factor: 2.0}).tolist())
    coord.request_stop()
    coord.join(threads)
