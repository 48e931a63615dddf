"""tf.train.batch over SparseTensors, and a dense view of them."""
import tensorflow as tf

ROWS = ['a b c', 'd', '', 'e f', 'g h i j']


def inputs():
    line = tf.train.string_input_producer(ROWS, shuffle=False, num_epochs=1).dequeue()
    words = tf.string_split([line])
    words = tf.SparseTensor(words.indices[:, 1:], words.values, words.dense_shape[1:])
    return tf.train.batch({'line': line, 'words': words}, 2, allow_smaller_final_batch=True)


if __name__ == '__main__':
    got = inputs()
    dense = tf.sparse_tensor_to_dense(got['words'], default_value='-')
    print(sorted(got), type(got['words']).__name__)
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            lines, words, table = sess.run([got['line'], got['words'], dense])
            print([l.decode() for l in lines], words.indices.tolist(), words.dense_shape.tolist())
            print(table.tolist())
