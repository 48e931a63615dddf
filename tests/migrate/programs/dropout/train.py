"""Dropout and the learning rate are fed; a second pipeline is for validation."""

import os
import tempfile

import numpy as np
import tensorflow as tf

TRAIN = np.arange(24, dtype=np.float32).reshape([12, 2]) / 24
LABELS = np.arange(12, dtype=np.int32) % 2


def get_batch(data, labels, batch_size):
    input_queue = tf.train.slice_input_producer([data, labels], shuffle=False)
    image = input_queue[0] * 2.0
    label = input_queue[1]
    image_batch, label_batch = tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=32)
    return image_batch, label_batch


def model(x, keep_prob, reuse=None):
    with tf.variable_scope("model", reuse=reuse):
        w = tf.get_variable("w", [2, 2], initializer=tf.constant_initializer(0.1))
        b = tf.get_variable("b", [2], initializer=tf.constant_initializer(0.0))
        return tf.matmul(tf.nn.dropout(x, keep_prob), w) + b


keep_prob = tf.placeholder(tf.float32, name="keep_prob")
learning_rate = tf.placeholder(tf.float32, [], name="learning_rate")

train_images, train_labels = get_batch(TRAIN[:8], LABELS[:8], 4)
test_images, test_labels = get_batch(TRAIN[8:], LABELS[8:], 2)

logits = model(train_images, keep_prob)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=train_labels, logits=logits))
train_op = tf.train.GradientDescentOptimizer(learning_rate).minimize(loss)
correct = tf.nn.in_top_k(model(test_images, 1.0, reuse=True), test_labels, 1)
accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
tf.summary.scalar("loss", loss)
tf.summary.scalar("accuracy", accuracy)
merged = tf.summary.merge_all()
saver = tf.train.Saver(max_to_keep=1)
folder = tempfile.mkdtemp()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(folder, sess.graph)
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    rate = 0.5
    try:
        for step in range(6):
            if coord.should_stop():
                break
            _, value = sess.run([train_op, loss], feed_dict={keep_prob: 1.0, learning_rate: rate})
            if step % 2 == 0:
                rate *= 0.5
                summary, acc = sess.run([merged, accuracy], feed_dict={keep_prob: 1.0})
                writer.add_summary(summary, step)
                print("step %d loss %.4f accuracy %.2f" % (step, value, acc))
            if step == 5:
                saver.save(sess, os.path.join(folder, "model.ckpt"), global_step=step)
    except tf.errors.OutOfRangeError:
        print("done training")
    finally:
        coord.request_stop()
    coord.join(threads)
print(sorted(name for name in os.listdir(folder) if name.endswith("index")))
