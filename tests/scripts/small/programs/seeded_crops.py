# Random crops, flips and noise with seeds: the same numbers in every run, and in every TensorFlow.
import numpy as np
import tensorflow as tf

images = (np.arange(8 * 6 * 6 * 3) * 7919 % 256).reshape(8, 6, 6, 3).astype(np.uint8)
labels = np.arange(8)


def distort(image):
    image = tf.random_crop(image, [4, 4, 3], seed=3)
    image = tf.image.random_flip_left_right(image, seed=4)
    image = tf.cast(image, tf.float32)
    image = tf.image.random_brightness(image, max_delta=10, seed=5)
    return image + tf.floor(tf.random_uniform([4, 4, 3], 0, 3, seed=6))


def inputs():
    image, label = tf.train.slice_input_producer([tf.constant(images), tf.constant(labels)], seed=2)
    return tf.train.batch([distort(image), label], batch_size=4, num_threads=1, capacity=12)


if __name__ == '__main__':
    x, y = inputs()
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for step in range(5):
            a, b = sess.run([x, y])
            print(step, b.tolist(), ['%.4f' % v for v in a[:, 1, 2, 0]])
        coord.request_stop()
        coord.join(threads)
