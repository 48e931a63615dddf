# call: input_fn()
# order: fixed
import tensorflow as tf

SPEC = {"values": tf.FixedLenFeature([3], tf.float32), "image/class/label": tf.FixedLenFeature([], tf.int64)}


def input_fn():
    features = tf.contrib.learn.read_batch_features(
        "train-0000?-of-00002", batch_size=4, features=SPEC, reader=tf.TFRecordReader, randomize_input=False, num_epochs=1
    )
    target = features.pop("image/class/label")
    return features, target
