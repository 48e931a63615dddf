"""Trains only the last layers, and counts epochs by hand."""

import tensorflow as tf

from datagenerator import ImageList

TRAIN_LAYERS = ["fc8"]
NUM_EPOCHS = 2
BATCH_SIZE = 2


def fc(x, units, name, value):
    with tf.variable_scope(name):
        w = tf.get_variable("weights", [int(x.shape[1]), units], initializer=tf.constant_initializer(value))
        return tf.matmul(x, w)


def main():
    data = ImageList("labels.txt", 3)
    x, y = data.batches(BATCH_SIZE)
    fc7 = tf.nn.relu(fc(tf.reshape(x, [-1, 27]), 4, "fc7", 0.001))
    score = fc(fc7, 3, "fc8", 0.1)
    var_list = [v for v in tf.trainable_variables() if v.name.split("/")[0] in TRAIN_LAYERS]
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=score, labels=y))
    gradients = list(zip(tf.gradients(loss, var_list), var_list))
    train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(grads_and_vars=gradients)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(score, 1), tf.argmax(y, 1)), tf.float32))
    batches_per_epoch = data.data_size // BATCH_SIZE
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for epoch in range(NUM_EPOCHS):
            print("Epoch number: {}".format(epoch + 1))
            for _ in range(batches_per_epoch):
                _, value = sess.run([train_op, loss])
                print("  {:.4f}".format(value))
            test_acc = 0.0
            for _ in range(batches_per_epoch):
                test_acc += sess.run(accuracy)
            print("Accuracy = {:.4f}".format(test_acc / batches_per_epoch))
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
