# call: Feeder(['a.csv'], size=2).feed()
# order: fixed
import tensorflow as tf


class Feeder:
    def __init__(self, names, size=4, threads=1):
        self.names = names
        self.size = size
        self.threads = threads
        self.reader = tf.TextLineReader(skip_header_lines=1)

    def feed(self):
        """Returns a batch of numbers."""
        with tf.name_scope("feed"):
            queue = tf.train.string_input_producer(self.names, shuffle=False)
            _, line = self.reader.read(queue)
            columns = tf.decode_csv(line, [[0], [0.0]])
            number = tf.to_float(columns[0]) + columns[1]
            return tf.train.batch([number], batch_size=self.size, num_threads=self.threads)
