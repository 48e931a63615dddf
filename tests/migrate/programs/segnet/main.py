import numpy as np
import tensorflow as tf

from inputs import batches

NUM_CLASSES = 3


def msra(name, shape):
    return tf.get_variable(name, shape, initializer=tf.constant_initializer(0.01))


def inference(images, phase_train):
    norm = images / 255.0
    conv = tf.nn.conv2d(norm, msra("conv", [3, 3, 3, NUM_CLASSES]), [1, 1, 1, 1], padding="SAME")
    bias = msra("bias", [NUM_CLASSES])
    return tf.cond(phase_train, lambda: conv + bias, lambda: conv * 0.5 + bias)


def weighted_loss(logits, labels, weights):
    labels = tf.one_hot(tf.reshape(labels, [-1]), NUM_CLASSES)
    softmax = tf.nn.softmax(tf.reshape(logits, [-1, NUM_CLASSES]))
    return -tf.reduce_mean(tf.reduce_sum(labels * tf.log(softmax + 1e-10) * weights, 1))


def get_hist(predictions, labels):
    hist = np.zeros([NUM_CLASSES, NUM_CLASSES], int)
    for one, other in zip(labels.ravel(), predictions.argmax(3).ravel()):
        hist[one, other] += 1
    return hist


def training():
    images, labels = batches("pairs.txt", 2)
    phase_train = tf.placeholder(tf.bool, name="phase_train")
    logits = inference(images, phase_train)
    loss = weighted_loss(logits, labels, np.array([0.5, 1.0, 2.0], np.float32))
    train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for step in range(4):
            feed_dict = {phase_train: True}
            _, loss_value = sess.run([train_op, loss], feed_dict=feed_dict)
            if step % 2 == 1:
                pred, truth = sess.run([logits, labels], feed_dict={phase_train: False})
                print("step %d, loss = %.4f" % (step, loss_value), np.diag(get_hist(pred, truth)).tolist())
        coord.request_stop()
        coord.join(threads)


training()
