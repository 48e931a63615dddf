"""Two pictures at a time: one network with shared weights, a contrastive loss."""

import tensorflow as tf

LEFT = ["pic_0.png", "pic_1.png", "pic_2.png", "pic_3.png"]
RIGHT = ["pic_0.png", "pic_2.png", "pic_2.png", "pic_1.png"]
SAME = [1.0, 0.0, 1.0, 0.0]


def load(name):
    image = tf.image.decode_png(tf.read_file(name), channels=1)
    image.set_shape([4, 6, 1])
    return tf.to_float(image) / 255.0


def pairs(batch_size):
    left, right, same = tf.train.slice_input_producer([LEFT, RIGHT, SAME], shuffle=False)
    lefts, rights, labels = tf.train.batch([load(left), load(right), same], batch_size)
    return lefts, rights, labels


def tower(images, reuse=False):
    with tf.variable_scope("tower", reuse=reuse):
        kernel = tf.get_variable("kernel", [24, 3], initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
        return tf.matmul(tf.reshape(images, [-1, 24]), kernel)


def contrastive_loss(first, second, same, margin=1.0):
    distance = tf.sqrt(tf.reduce_sum(tf.square(first - second), 1) + 1e-6)
    apart = tf.maximum(margin - distance, 0.0)
    return tf.reduce_mean(same * tf.square(distance) + (1.0 - same) * tf.square(apart))


def main(_):
    lefts, rights, labels = pairs(2)
    first = tower(lefts)
    second = tower(rights, reuse=True)
    loss = contrastive_loss(first, second, labels)
    train_op = tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True).minimize(loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        for step in range(5):
            _, value = sess.run([train_op, loss])
            print("step %d: loss %.5f" % (step, value))
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
