import tensorflow as tf

from image_reader import ImageReader

BATCH_SIZE = 2
NUM_STEPS = 3
IMG_MEAN = (104.0, 116.0, 122.0)


def predict(image_batch):
    with tf.variable_scope("fc1"):
        kernel = tf.get_variable("weights", [1, 1, 3, 3], initializer=tf.random_normal_initializer(stddev=0.01, seed=8))
        return tf.nn.conv2d(image_batch, kernel, [1, 1, 1, 1], padding="SAME")


def main():
    coord = tf.train.Coordinator()
    with tf.name_scope("create_inputs"):
        reader = ImageReader("pairs.txt", IMG_MEAN, coord)
        image_batch, label_batch = reader.dequeue(BATCH_SIZE)
    raw_output = predict(image_batch)
    raw_gt = tf.reshape(tf.squeeze(label_batch, axis=[3]), [-1])
    indices = tf.squeeze(tf.where(tf.less_equal(raw_gt, 2)), 1)
    gt = tf.cast(tf.gather(raw_gt, indices), tf.int32)
    prediction = tf.gather(tf.reshape(raw_output, [-1, 3]), indices)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=prediction, labels=gt))
    base_lr = tf.constant(0.001)
    step_ph = tf.placeholder(dtype=tf.float32, shape=())
    learning_rate = tf.scalar_mul(base_lr, tf.pow((1 - step_ph / NUM_STEPS), 0.9))
    train_op = tf.train.MomentumOptimizer(learning_rate, 0.9).minimize(loss)
    config = tf.ConfigProto()
    config.gpu_options.allow_growth = True
    sess = tf.Session(config=config)
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(coord=coord, sess=sess)
    for step in range(NUM_STEPS):
        loss_value, _ = sess.run([loss, train_op], feed_dict={step_ph: step})
        print("step {:d} \t loss = {:.4f}".format(step, loss_value))
    coord.request_stop()
    coord.join(threads)


if __name__ == "__main__":
    main()
