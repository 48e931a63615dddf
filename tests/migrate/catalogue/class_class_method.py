# call: Data.pipeline(2)
# order: fixed
import tensorflow as tf


class Data(object):
    FILES = ["b.csv", "c.csv"]

    @classmethod
    def pipeline(cls, size):
        queue = tf.train.string_input_producer(cls.FILES, num_epochs=1, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.batch([number, half], size, allow_smaller_final_batch=True)
