# call: Data.pipeline(['b.csv'], 2)
# order: fixed
import tensorflow as tf


class Data(object):
    @staticmethod
    def pipeline(files, size):
        queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.batch([number, half], size, allow_smaller_final_batch=True)
