"""Labels are words; a table makes numbers of them, in front of the batch and after it."""
import tensorflow as tf

SPECIES = ['setosa', 'versicolor', 'virginica']
ROWS = [('5.1', 'setosa'), ('6.0', 'virginica'), ('5.5', 'versicolor'), ('4.9', 'unknown'), ('5.8', 'setosa')]


def inputs():
    width, name = tf.train.slice_input_producer(
        [tf.constant([w for w, _ in ROWS]), tf.constant([n for _, n in ROWS])], shuffle=False, num_epochs=2)
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(SPECIES), default_value=-1)
    return tf.train.batch([tf.string_to_number(width), table.lookup(name), name], 5)


def main():
    width, label, name = inputs()
    names = tf.contrib.lookup.index_to_string_table_from_tensor(tf.constant(SPECIES), default_value='??')
    back = names.lookup(label)
    one_hot = tf.one_hot(label, len(SPECIES))
    with tf.Session() as sess:
        sess.run([tf.local_variables_initializer(), tf.tables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(2):
            w, l, n, b, o = sess.run([width, label, name, back, one_hot])
            print(l.tolist(), [x.decode() for x in b], o.sum(axis=0).tolist(), '%.2f' % w.mean())
            assert all(x == y for x, y in zip(n, b) if y != b'??')
        coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    main()
