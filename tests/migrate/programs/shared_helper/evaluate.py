import tensorflow as tf
from reader import batches

rows, names = batches(1, 1)
mean = tf.reduce_mean(rows)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range(3):
        print(step, sess.run(mean))
    coord.request_stop()
    coord.join(threads)
