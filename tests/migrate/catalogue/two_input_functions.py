# call: eval_inputs(2)
# order: fixed
import tensorflow as tf

TRAIN, TEST = ["a.csv", "b.csv"], ["c.csv"]


def _decode(line):
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return number, half


def train_inputs(batch_size):
    queue = tf.train.string_input_producer(TRAIN)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = _decode(line)
    return tf.train.shuffle_batch([number, half], batch_size, 50, 20, num_threads=2)


def eval_inputs(batch_size):
    queue = tf.train.string_input_producer(TEST, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = _decode(line)
    return tf.train.batch([number, half], batch_size, allow_smaller_final_batch=True)
