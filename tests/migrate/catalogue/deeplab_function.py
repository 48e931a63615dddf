# call: next_batch('pairs.txt', 2, is_training=False)
# order: fixed
import tensorflow as tf

MEAN = [10.0, 20.0, 30.0]


def load_list(path):
    with open(path) as file:
        pairs = [line.split() for line in file]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def random_mirror(image, mask):
    flip = tf.less(tf.random_uniform([]), 0.5)
    return tf.cond(flip, lambda: (image[:, ::-1], mask[:, ::-1]), lambda: (image, mask))


def next_batch(path, batch_size, is_training):
    image_names, mask_names = load_list(path)
    image_name, mask_name = tf.train.slice_input_producer([image_names, mask_names], shuffle=is_training)
    image = tf.to_float(tf.image.decode_png(tf.read_file(image_name), channels=3)) - MEAN
    mask = tf.image.decode_png(tf.read_file(mask_name), channels=1)
    if is_training:
        image, mask = random_mirror(image, mask)
    image.set_shape([4, 6, 3])
    mask.set_shape([4, 6, 1])
    mask = tf.squeeze(mask, axis=2)
    weights = tf.to_float(tf.not_equal(mask, 0))
    if is_training:
        return tf.train.shuffle_batch([image, mask, weights], batch_size, 100, 10)
    return tf.train.batch([image, mask, weights], batch_size)
