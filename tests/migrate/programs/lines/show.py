import tensorflow as tf
from line_input import *

batch = lines(["lines.txt"], 2)
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for _ in range(2):
        print(sess.run(batch).tolist())
    coord.request_stop()
    coord.join(threads)
