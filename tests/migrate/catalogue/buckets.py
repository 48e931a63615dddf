# call: inputs(['a.csv', 'b.csv'], 2)
# order: any
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    rows = tf.range(number % 4 + 1)
    length, outputs = tf.contrib.training.bucket_by_sequence_length(
        tf.size(rows), [rows, half], size, [2], dynamic_pad=True, allow_smaller_final_batch=True
    )
    return length, outputs
