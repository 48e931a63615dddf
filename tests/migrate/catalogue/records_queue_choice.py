# call: inputs(["a.csv", "b.csv"], 2, shuffle=False)
# order: fixed
import tensorflow as tf


def inputs(files, batch_size, shuffle=True):
    names = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    if shuffle:
        lines = tf.RandomShuffleQueue(capacity=40, min_after_dequeue=20, dtypes=[tf.string], shapes=[[]])
    else:
        lines = tf.FIFOQueue(capacity=40, dtypes=[tf.string], shapes=[[]])
    reader = tf.TextLineReader(skip_header_lines=1)
    _, value = reader.read(names)
    filling = [lines.enqueue([value])]
    tf.train.add_queue_runner(tf.train.QueueRunner(lines, filling))
    line = lines.dequeue()
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], batch_size, allow_smaller_final_batch=True)
