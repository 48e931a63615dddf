# call: content_and_style('pic_[01].png', 'pic_[23].png', 2)
# order: fixed
import tensorflow as tf


def _pictures(pattern):
    queue = tf.train.string_input_producer(tf.train.match_filenames_once(pattern), shuffle=False)
    _, data = tf.WholeFileReader().read(queue)
    image = tf.image.decode_png(data, channels=3)
    image.set_shape([4, 6, 3])
    return tf.to_float(image)


def content_and_style(content, style, n):
    return tf.train.batch([_pictures(content), _pictures(style)], n)
