# call: pair_batch(LEFT, RIGHT, 2)
# order: fixed
import tensorflow as tf

LEFT = ["pic_0.png", "pic_1.png", "pic_2.png"]
RIGHT = ["pic_1.png", "pic_1.png", "pic_3.png"]


def load(name):
    image = tf.image.decode_png(tf.read_file(name), 3)
    image = tf.image.rgb_to_grayscale(image)
    image.set_shape((4, 6, 1))
    return image


def pair_batch(left, right, batch_size):
    same = [int(one == other) for one, other in zip(left, right)]
    first, second, label = tf.train.slice_input_producer([left, right, same], shuffle=False)
    lefts, rights, labels = tf.train.batch([load(first), load(second), label], batch_size)
    return lefts, rights, tf.expand_dims(labels, 1)
