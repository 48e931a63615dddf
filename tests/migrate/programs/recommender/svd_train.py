"""Factors of users and items."""

import numpy as np
import tensorflow as tf

import dataio
import ops

BATCH_SIZE = 3
USER_NUM = 3
ITEM_NUM = 4
STEPS = 6

user_batch, item_batch, rate_batch = dataio.read_ratings("ratings.dat", BATCH_SIZE)
infer, regularizer = ops.inference_svd(user_batch, item_batch, USER_NUM, ITEM_NUM)
cost, train_op = ops.optimization(infer, regularizer, rate_batch)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    errors = []
    for i in range(STEPS):
        _, pred_batch, rates = sess.run([train_op, infer, rate_batch])
        errors.append(np.mean(np.power(pred_batch - rates, 2)))
        if i % 3 == 2:
            print("{:3d} {:.4f}".format(i, np.sqrt(np.mean(errors))))
            errors = []
    coord.request_stop()
    coord.join(threads)
