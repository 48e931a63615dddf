# Mean price of a house, from CSV files that a pattern names. No classes, no main: a script of an afternoon.
import tensorflow as tf


def inputs():
    names = tf.train.match_filenames_once('data/houses/part-*.csv')
    queue = tf.train.string_input_producer(names, shuffle=False, num_epochs=1)
    reader = tf.TextLineReader(skip_header_lines=1)
    _, line = reader.read(queue)
    rooms, age, district, price = tf.decode_csv(line, record_defaults=[[0], [-1.0], ['?'], [0.0]])
    return tf.train.batch([rooms, age, district, price], batch_size=32, capacity=96, allow_smaller_final_batch=True)


if __name__ == '__main__':
    rooms, age, district, price = inputs()
    known = tf.cast(age >= 0, tf.float32)
    known_ages = tf.reduce_sum(known)
    total = tf.reduce_sum(price)
    hills = tf.reduce_sum(tf.cast(tf.equal(district, 'hill'), tf.int32))

    with tf.Session() as sess:
        sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        step = 0
        try:
            while not coord.should_stop():
                n, t, h, r = sess.run([known_ages, total, hills, rooms])
                print('step %d: %d houses, %d ages, %d on the hill, %.1f in all' % (step, len(r), n, h, t))
                step += 1
        except tf.errors.OutOfRangeError:
            print('Epoch limit reached after %d steps' % step)
        finally:
            coord.request_stop()
        coord.join(threads)
