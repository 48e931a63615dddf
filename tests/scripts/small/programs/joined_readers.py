"""Two readers fill one shuffled queue; each line comes out exactly twice."""
import tensorflow as tf


def write_parts():
    for part in range(3):
        with open('part%d' % part, 'w') as f:
            f.writelines('%d,%d\n' % (part, i) for i in range(4 + part))


def inputs():
    queue = tf.train.string_input_producer(['part0', 'part1', 'part2'], num_epochs=2)
    examples = []
    for _ in range(2):
        key, line = tf.TextLineReader().read(queue)
        part, number = tf.decode_csv(line, [[-1], [-1]])
        examples.append([part, number])
    return tf.train.shuffle_batch_join(
        examples, batch_size=4, capacity=30, min_after_dequeue=10, allow_smaller_final_batch=True)


if __name__ == '__main__':
    write_parts()
    parts, numbers = inputs()
    rows, sizes = [], []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                p, n = sess.run([parts, numbers])
                rows += zip(p.tolist(), n.tolist())
                sizes.append(len(p))
        except tf.errors.OutOfRangeError:
            coord.request_stop()
        coord.join(threads)
    print(sizes)
    print(sorted(rows))
