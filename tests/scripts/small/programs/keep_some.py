"""keep_input: only the even ones get into the queue; and a vector of keep_input for rows."""
import tensorflow as tf


def inputs():
    number = tf.train.range_input_producer(12, shuffle=False, num_epochs=1).dequeue()
    kept = tf.train.maybe_batch([number, number * 10], keep_input=tf.equal(number % 2, 0), batch_size=2)
    return kept


def rows():
    table = tf.constant([[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]])
    table = tf.train.limit_epochs(table, num_epochs=2)
    big = tf.reduce_sum(table, axis=1) > 7
    return tf.train.maybe_batch([table], big, 3, enqueue_many=True, allow_smaller_final_batch=True)


def drain(sess, tensor):
    while True:
        try:
            print(sess.run(tensor))
        except tf.errors.OutOfRangeError:
            return


if __name__ == '__main__':
    a, b = inputs()
    total = tf.stack([a, b])
    some_rows = rows()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        drain(sess, total)
        drain(sess, some_rows)
        coord.request_stop()
        coord.join(threads)
