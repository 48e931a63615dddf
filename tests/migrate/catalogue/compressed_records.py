# call: inputs(['a.tfrecords'], 2)
# order: fixed
import tensorflow as tf


def inputs(files, size, compressed=False):
    kind = tf.python_io.TFRecordCompressionType.NONE
    options = tf.python_io.TFRecordOptions(kind)
    reader = tf.TFRecordReader(options=options)
    key, record = reader.read(tf.train.string_input_producer(files, shuffle=False))
    letters = tf.decode_raw(record, tf.uint8)
    return tf.train.batch([letters, tf.size(letters)], size, dynamic_pad=True)
