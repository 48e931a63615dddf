# call: inputs(['a.csv', 'b.csv', 'c.csv'], 3)
# order: any
import tensorflow as tf


def inputs(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=1)
    examples = []
    for _ in range(4):
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        examples.append([number, half])
    return tf.train.batch_join(examples, batch_size=size, capacity=2 * 4 * size)
