# call: boxes('ratings.dat', 2)
# order: fixed
import tensorflow as tf

CELLS = 4


def to_grid(x, y):
    row = tf.to_int32(y) % CELLS
    grid = tf.scatter_nd([[row, x]], [y], [CELLS, CELLS])
    return grid, tf.greater(grid, 0)


def boxes(path, batch_size):
    filename_queue = tf.train.string_input_producer([path], shuffle=False)
    _, line = tf.TextLineReader().read(filename_queue)
    x, _, y = tf.decode_csv(line, [[0], [""], [0.0]])
    grid, mask = to_grid(x, y)
    return tf.train.batch([grid, mask], batch_size)
