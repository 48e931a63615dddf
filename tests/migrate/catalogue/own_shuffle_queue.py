# call: inputs(FILES, 3)
# order: any
import tensorflow as tf

FILES = ["a.csv", "b.csv", "c.csv"]


def prefetch(files, capacity):
    names = tf.train.string_input_producer(files, num_epochs=1, shuffle=False, name="names")
    values = tf.RandomShuffleQueue(
        capacity=capacity, min_after_dequeue=5, dtypes=[tf.string], shapes=[[]], name="values"
    )
    enqueue_ops = []
    for _ in range(2):
        _, value = tf.TextLineReader(skip_header_lines=1).read(names)
        enqueue_ops.append(values.enqueue([value]))
    tf.train.queue_runner.add_queue_runner(tf.train.queue_runner.QueueRunner(values, enqueue_ops))
    return values


def inputs(files, n):
    queue = prefetch(files, 30)
    line = queue.dequeue()
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], n)
