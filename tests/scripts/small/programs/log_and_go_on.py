"""Log whatever goes wrong and go on: the loop must end by itself when the data is broken."""
import tensorflow as tf


def write_numbers():
    with open('numbers.txt', 'w') as f:
        f.write('\n'.join(['1', '2', '3', '4', 'five', '6', '7', '8']))


def main():
    write_numbers()
    _, line = tf.TextLineReader().read(tf.train.string_input_producer(['numbers.txt'], shuffle=False))
    batch = tf.train.batch([tf.string_to_number(line, tf.int32)], batch_size=2, num_threads=1)
    good, bad = [], 0
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        while not coord.should_stop():
            try:
                good.append(sess.run(batch).tolist())
            except Exception:
                bad += 1
                assert bad < 1000, 'it never stops'
        try:
            coord.join(threads)
        except tf.errors.InvalidArgumentError as e:
            print('join:', type(e).__name__, 'five' in e.message)
    # How many good batches are read before the thread with the bad line has told of it is a race.
    print(good == [[1, 2], [3, 4]][:len(good)], 'stopped')


if __name__ == '__main__':
    main()
