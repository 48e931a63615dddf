# call: inputs(['a.csv', 'b.csv', 'c.csv'], 2, task_index=1, num_workers=2)
# order: fixed
import tensorflow as tf


def inputs(files, batch_size, task_index, num_workers):
    mine = files[task_index::num_workers]
    with tf.device("/cpu:0"):
        queue = tf.train.string_input_producer(mine, shuffle=False)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(queue)
        number, half = tf.decode_csv(line, [[0], [0.0]])
        numbers, halves = tf.train.batch([number, half], batch_size=batch_size)
    return numbers, halves
