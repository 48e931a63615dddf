# call: inputs(['a.bin', 'b.bin'], 2)
# order: fixed
import tensorflow as tf


def read_record(queue):
    class Record(object):
        pass

    result = Record()
    result.height = 1
    result.width = 3
    reader = tf.FixedLengthRecordReader(record_bytes=1 + result.height * result.width)
    result.key, value = reader.read(queue)
    data = tf.decode_raw(value, tf.uint8)
    result.label = tf.cast(tf.strided_slice(data, [0], [1]), tf.int32)
    result.pixels = tf.reshape(tf.strided_slice(data, [1], [4]), [result.height, result.width])
    return result


def inputs(files, batch_size):
    queue = tf.train.string_input_producer(files, shuffle=False)
    read_input = read_record(queue)
    pixels = tf.cast(read_input.pixels, tf.float32)
    read_input.label.set_shape([1])
    return tf.train.batch([pixels, read_input.label], batch_size)
