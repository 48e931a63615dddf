"""What a reader returns goes into the batch as it is, a named tuple; so does a named tuple of the program's own."""
import collections

import tensorflow as tf

Point = collections.namedtuple('Point', ['x', 'y'])


def write_lines():
    for name in ('a.txt', 'b.txt'):
        with open(name, 'w') as f:
            f.write(''.join('%s%d\n' % (name[0], i) for i in range(3)))


def inputs():
    queue = tf.train.string_input_producer(['a.txt', 'b.txt'], shuffle=False, num_epochs=1)
    return tf.train.batch(tf.TextLineReader().read(queue), 2)


if __name__ == '__main__':
    write_lines()
    record = inputs()
    queue = tf.train.string_input_producer(['a.txt', 'b.txt'], shuffle=False, num_epochs=1)
    joined = tf.train.batch_join([tf.TextLineReader().read(queue)], 4, allow_smaller_final_batch=True)
    number = tf.train.range_input_producer(4, shuffle=False, num_epochs=1).dequeue()
    points = tf.train.batch(Point(number, number * number), 3, allow_smaller_final_batch=True)
    print([runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for batch in (record, joined, points):
            try:
                while True:
                    print(*[part.tolist() for part in sess.run(batch)])
            except tf.errors.OutOfRangeError:
                print('end')
        coord.request_stop()
        coord.join(threads)
