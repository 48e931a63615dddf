# call: inputs('text.txt', ['the', 'cat', 'dog'], 2)
# order: fixed
import tensorflow as tf


def inputs(path, vocabulary, batch_size):
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(vocabulary), default_value=-1)
    _, line = tf.TextLineReader().read(tf.train.string_input_producer([path], shuffle=False))
    words = tf.string_split([line], "\t ").values[1:]
    found = tf.to_int32(table.lookup(words))
    return tf.train.batch([found, tf.size(found)], batch_size, dynamic_pad=True)
