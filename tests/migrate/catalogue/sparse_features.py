# call: inputs('train-*', 2)
# order: fixed
import tensorflow as tf


def inputs(pattern, size):
    queue = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), shuffle=False)
    _, record = tf.TFRecordReader().read(queue)
    found = tf.parse_single_example(
        record, {"caption": tf.VarLenFeature(tf.int64), "values": tf.FixedLenFeature([3], tf.float32)}
    )
    words = tf.sparse_tensor_to_dense(found["caption"])
    return tf.train.batch([words, tf.size(words), found["values"]], size, dynamic_pad=True)
