# call: inputs('pic', 2)
# order: fixed
import tensorflow as tf


def choose_producer(kind):
    if kind == "pic":
        return tf.train.string_input_producer(["pic_0.png", "pic_1.png", "pic_2.png"], shuffle=False)
    return tf.train.string_input_producer(["mask_0.png"], shuffle=False)


def inputs(kind, size):
    _, contents = tf.WholeFileReader().read(choose_producer(kind))
    picture = tf.image.decode_png(contents)
    return tf.train.batch([tf.shape(picture), tf.reduce_max(picture)], size)
