"""A program in classes: one reads, one trains."""

import tensorflow as tf


class Reader(object):
    def __init__(self, name, size):
        self.name = name
        self.size = size
        self.reader = tf.TextLineReader()

    def decode(self, line):
        return tf.string_to_number(line)

    def batch(self):
        queue = tf.train.string_input_producer([self.name], num_epochs=2, shuffle=False)
        _, line = self.reader.read(queue)
        return tf.train.batch([self.decode(line)], self.size)


class Trainer(object):
    def __init__(self, name):
        self.name = name
        self.total = 0.0

    def train(self):
        reader = Reader(self.name, size=2)
        numbers = reader.batch()
        doubled = tf.reduce_sum(numbers * 2.0)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            try:
                while not coord.should_stop():
                    values, result = sess.run([numbers, doubled])
                    self.total += result
                    print(values.tolist(), result)
            except tf.errors.OutOfRangeError:
                print("end", self.total)
            finally:
                coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    Trainer("lines.txt").train()
