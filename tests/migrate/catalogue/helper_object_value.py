# call: inputs(['a.bin'], 3)
# order: fixed
import tensorflow as tf


class Record(object):
    pass


def read(queue):
    result = Record()
    reader = tf.FixedLengthRecordReader(record_bytes=4)
    result.key, result.value = reader.read(queue)
    result.data = tf.decode_raw(result.value, tf.uint8)
    result.label = result.data[0]
    return result


def inputs(files, size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    one = read(queue)
    data = tf.cast(one.data, tf.int32)
    data.set_shape([4])
    return tf.train.batch([data, one.label], size)
