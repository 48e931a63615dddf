"""The coordinator watches the loop; its end is the end of the data."""

import tensorflow as tf


def rows(files, size):
    queue = tf.train.string_input_producer(files, num_epochs=2, shuffle=False)
    _, line = tf.TextLineReader(skip_header_lines=1).read(queue)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    return tf.train.batch([number, half], size)


def main():
    numbers, halves = rows(["a.csv", "b.csv"], 4)
    total = tf.reduce_sum(tf.to_float(numbers) * halves)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        found = []
        with coord.stop_on_exception():
            while not coord.should_stop():
                found.append(sess.run(total))
        coord.join(threads)
    print(["%.1f" % one for one in found])


if __name__ == "__main__":
    main()
