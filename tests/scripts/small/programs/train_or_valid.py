"""One model, two pipelines, and a placeholder that says which of them it reads."""
import tensorflow as tf


def pipeline(start, count, name):
    with tf.name_scope(name):
        x = tf.train.range_input_producer(count, shuffle=False).dequeue() + start
        return tf.train.batch([x], 3)


is_training = tf.placeholder_with_default(False, [], name='is_training')
train, valid = pipeline(0, 6, 'train'), pipeline(100, 4, 'valid')
# Both are read in every step: tf.cond takes them from outside.
both = tf.cond(is_training, lambda: train, lambda: valid)
index = tf.placeholder(tf.int32, [])
picked = tf.stack([train, valid])[index]

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print(sess.run(both, {is_training: True}).tolist())
    print(sess.run(both).tolist())
    print(sess.run(picked, {index: 0}).tolist())
    print(sess.run(picked, {index: 1}).tolist())
    print(sess.run([train, valid])[1].tolist())
    # A feed in the place of a batch.
    print(sess.run(both, {is_training: True, train: [7, 8, 9]}).tolist())
    coord.request_stop()
    coord.join(threads)
