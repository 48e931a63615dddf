# call: get_input_data_tensors(LineReader(), '[ab].csv', batch_size=3, num_readers=2)
# order: any
import tensorflow as tf


class BaseReader(object):
    def prepare_reader(self, queue):
        raise NotImplementedError


class LineReader(BaseReader):
    def __init__(self, columns=2):
        self.columns = columns

    def prepare_reader(self, queue):
        _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
        number, half = tf.decode_csv(line, [[0.0]] * self.columns)
        return number, tf.stack([half, half * half]), tf.greater(half, 1.0)


def get_input_data_tensors(reader, data_pattern, batch_size=1000, num_epochs=1, num_readers=1):
    with tf.name_scope("train_input"):
        files = tf.gfile.Glob(data_pattern)
        if not files:
            raise IOError("Unable to find training files: " + data_pattern)
        filename_queue = tf.train.string_input_producer(files, num_epochs=num_epochs, shuffle=True)
        training_data = [reader.prepare_reader(filename_queue) for _ in range(num_readers)]
        return tf.train.shuffle_batch_join(
            training_data, batch_size=batch_size, capacity=20, min_after_dequeue=10, allow_smaller_final_batch=True
        )
