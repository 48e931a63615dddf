# call: Shuffled(['a.csv', 'b.csv', 'c.csv']).inputs()
# order: any
import tensorflow as tf


class Shuffled(object):
    def __init__(self, names, min_queue=9, capacity=15):
        self.names = names
        self.min_queue = min_queue
        self.capacity = capacity

    def inputs(self, batch_size=3, epochs=1):
        queue = tf.train.string_input_producer(self.names, num_epochs=epochs)
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        return tf.train.shuffle_batch(
            [number, half],
            batch_size=batch_size,
            num_threads=2,
            capacity=self.capacity,
            min_after_dequeue=self.min_queue,
        )
