import tensorflow as tf


def inference_svd(user_batch, item_batch, user_num, item_num, dim=2):
    with tf.device("/cpu:0"):
        bias_global = tf.get_variable("bias_global", shape=[], initializer=tf.zeros_initializer())
        w_user = tf.get_variable("embd_user", [user_num, dim], initializer=tf.constant_initializer(0.4))
        w_item = tf.get_variable("embd_item", [item_num, dim], initializer=tf.constant_initializer(0.3))
        embd_user = tf.nn.embedding_lookup(w_user, user_batch, name="user")
        embd_item = tf.nn.embedding_lookup(w_item, item_batch, name="item")
    infer = tf.add(tf.reduce_sum(tf.multiply(embd_user, embd_item), 1), bias_global, name="inference")
    regularizer = tf.add(tf.nn.l2_loss(embd_user), tf.nn.l2_loss(embd_item), name="regularizer")
    return infer, regularizer


def optimization(infer, regularizer, rate_batch, learning_rate=0.05, reg=0.1):
    cost_l2 = tf.nn.l2_loss(tf.subtract(infer, rate_batch))
    cost = tf.add(cost_l2, tf.multiply(tf.constant(reg, dtype=tf.float32), regularizer))
    train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(cost)
    return cost, train_op
