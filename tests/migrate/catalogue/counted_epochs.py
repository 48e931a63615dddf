# call: inputs(['a.csv', 'b.csv'], 4)
# order: fixed
import tensorflow as tf


def inputs(files, size, epochs=2):
    """The batches of some epochs, with how many steps one has."""
    rows = 0
    for name in files:
        with open(name) as file:
            rows += len(file.readlines()) - 1
    steps = rows // size
    queue = tf.train.string_input_producer(files, shuffle=False, num_epochs=epochs)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    numbers, halves = tf.train.batch([number, half], size)
    return numbers / steps, halves
