"""Variables of TensorFlow 1 in batches, as they are and as an assignment returns them."""
import tensorflow as tf


def main():
    table = tf.Variable([[1, 2], [3, 4]], trainable=False, use_resource=False, name='table')
    means = tf.Variable([0.5, 1.5], trainable=False, use_resource=False, name='means')
    moved = tf.assign(means, [2.5, 3.5])
    number = tf.train.range_input_producer(4, shuffle=False, num_epochs=2).dequeue()
    numbers, row, mean = tf.train.batch([number, table[0], moved], batch_size=4)
    rows = tf.train.batch([table], batch_size=3, enqueue_many=True)
    whole = tf.train.shuffle_batch([table], batch_size=2, capacity=10, min_after_dequeue=2)
    print([tensor.dtype.name for tensor in (table, moved, numbers, row, mean, rows, whole)])
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                for value in sess.run([numbers, row, mean]):
                    print(value.tolist())
        except tf.errors.OutOfRangeError:
            print('end')
        print(sorted(sess.run(rows).tolist())[-1], sess.run(whole).tolist())
        coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    main()
