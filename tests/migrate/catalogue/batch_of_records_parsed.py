# call: inputs('train-*', 3)
# order: fixed
import tensorflow as tf

SPEC = {"values": tf.FixedLenFeature([3], tf.float32), "image/class/label": tf.FixedLenFeature([], tf.int64)}


def inputs(pattern, size):
    queue = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    serialized = tf.train.batch([record], size)
    features = tf.parse_example(serialized, SPEC)
    return features["values"] * 2.0, features["image/class/label"]
