"""Moving averages that the training op updates on the way, through a collection."""

import tensorflow as tf

BATCH = 3
STEPS = 4


def pictures():
    queue = tf.train.string_input_producer(["pictures_0.bin", "pictures_1.bin"], shuffle=False)
    _, value = tf.FixedLengthRecordReader(5).read(queue)
    record = tf.to_float(tf.decode_raw(value, tf.uint8))
    record.set_shape([5])
    return tf.train.batch([record[1:] / 255.0, record[:1]], BATCH)


def block(x, units, is_training, name):
    with tf.variable_scope(name):
        kernel = tf.get_variable("kernel", [4, units], initializer=tf.constant_initializer(0.5))
        x = tf.matmul(x, kernel)
        moving_mean = tf.get_variable("moving_mean", [units], initializer=tf.zeros_initializer(), trainable=False)
        mean = tf.reduce_mean(x, 0)
        update = tf.assign(moving_mean, moving_mean * 0.5 + mean * 0.5)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        return tf.nn.relu(x - tf.cond(is_training, lambda: mean, lambda: moving_mean) + 0.5)


images, targets = pictures()
is_training = tf.placeholder(tf.bool, [], name="is_training")
net = block(images, 3, is_training, "block_1")
weights = tf.get_variable("weights", [3, 1], initializer=tf.constant_initializer(0.25))
loss = tf.losses.mean_squared_error(targets, tf.matmul(net, weights))
update_ops = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
with tf.control_dependencies(update_ops):
    train_op = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
averages = [one for one in tf.global_variables() if "moving_mean" in one.name]
moving_mean = averages[0]

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    for step in range(STEPS):
        _, value = sess.run([train_op, loss], feed_dict={is_training: True})
        print("%d %.4f" % (step, value))
    print("inference %.4f" % sess.run(loss, feed_dict={is_training: False}))
    print(["%.4f" % one for one in sess.run(moving_mean)])
    coord.request_stop()
    coord.join(threads)
