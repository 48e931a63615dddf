# call: augmented('pic_?.png', 4)
# order: any
import tensorflow as tf


def augment(image):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=0.0)
    # Whatever it was, it is not negative.
    return tf.reduce_sum(tf.sort(tf.reshape(image, [-1, 3]), axis=0), 0)


def augmented(pattern, batch_size):
    files = tf.train.string_input_producer(tf.gfile.Glob(pattern), num_epochs=2)
    _, data = tf.WholeFileReader().read(files)
    image = tf.to_float(tf.image.decode_png(data, channels=3))
    sums = augment(image)
    return tf.train.shuffle_batch([sums, sums / 2.0], batch_size, capacity=20, min_after_dequeue=6)
