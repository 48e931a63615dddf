# call: read_and_decode_with_labels(sorted(tf.gfile.Glob('train-*')), 2)
# order: fixed
import tensorflow as tf


def read_and_decode_with_labels(filenames, batch_size):
    filename_queue = tf.train.string_input_producer(filenames, shuffle=False)
    reader = tf.TFRecordReader()
    _, serialized_example = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized_example,
        features={"image/raw": tf.FixedLenFeature([], tf.string), "image/class/label": tf.FixedLenFeature([], tf.int64)},
    )
    image = tf.decode_raw(features["image/raw"], tf.uint8)
    image.set_shape(4 * 6 * 3)
    image = tf.reshape(image, [4, 6, 3])
    image = tf.cast(image, tf.float32) * (2.0 / 255) - 1.0
    label = tf.cast(features["image/class/label"], tf.int32)
    image, label = tf.train.batch([image, label], batch_size=batch_size)
    return image, label
