# call: patches(['pic_0.png', 'pic_1.png'], 2, factor=2)
# order: fixed
import tensorflow as tf

PATCH = 4


def lower(image, factor):
    small = tf.image.resize_nearest_neighbor(tf.expand_dims(image, 0), [PATCH // factor, PATCH // factor])
    return small[0]


def patches(names, batch_size, factor):
    key, value = tf.WholeFileReader().read(tf.train.string_input_producer(names, shuffle=False))
    image = tf.image.decode_png(value, channels=3)
    image = tf.image.convert_image_dtype(image, tf.float32)
    high = tf.image.resize_image_with_crop_or_pad(image, PATCH, PATCH)
    high.set_shape([PATCH, PATCH, 3])
    low = lower(high, factor)
    feature, label = tf.train.batch([low, high], batch_size=batch_size, capacity=16)
    return feature, label
