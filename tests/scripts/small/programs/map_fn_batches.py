"""tf.map_fn over what a reader gives at once, and over a batch."""
import tensorflow as tf


def write_numbers():
    with open('numbers.csv', 'w') as f:
        for i in range(9):
            f.write('%s\n' % ' '.join(str(j) for j in range(i + 1)))


def inputs():
    queue = tf.train.string_input_producer(['numbers.csv'], num_epochs=1)
    _, lines = tf.TextLineReader().read_up_to(queue, 4)
    counts = tf.map_fn(lambda line: tf.size(tf.string_split([line]).values), lines, dtype=tf.int32)
    return tf.train.batch([lines, counts], batch_size=5, enqueue_many=True, allow_smaller_final_batch=True)


if __name__ == '__main__':
    write_numbers()
    lines, counts = inputs()
    powers = tf.map_fn(lambda c: c * c, counts, parallel_iterations=1, back_prop=False)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners()
        try:
            while True:
                c, p, l = sess.run([counts, powers, lines])
                print(c.tolist(), p.tolist(), l[-1].decode())
        except tf.errors.OutOfRangeError as e:
            print(e.error_code == tf.errors.OUT_OF_RANGE)
