import tensorflow as tf


class BaseReader(object):
    def prepare_reader(self, queue):
        raise NotImplementedError()


class ValuesReader(BaseReader):
    """Reads three numbers and a class."""

    def __init__(self, num_classes=3):
        self.num_classes = num_classes

    def prepare_reader(self, queue):
        _, record = tf.TFRecordReader().read(queue)
        features = tf.parse_single_example(
            record,
            features={
                "values": tf.FixedLenFeature([3], tf.float32),
                "image/class/label": tf.FixedLenFeature([], tf.int64),
            },
        )
        return features["values"], tf.one_hot(features["image/class/label"], self.num_classes)
