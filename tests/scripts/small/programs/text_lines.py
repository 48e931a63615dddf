import tensorflow as tf


def write_poems():
    with open('a.txt', 'w') as f:
        f.write('roses are red\nviolets are blue\n\nsugar is sweet\n')
    with open('b.txt', 'w') as f:
        f.write('and so\nare you')


def inputs():
    queue = tf.train.string_input_producer(['a.txt', 'b.txt'], num_epochs=2, shuffle=False)
    key, line = tf.TextLineReader().read(queue)
    return tf.train.batch([key, line], batch_size=5, allow_smaller_final_batch=True)


if __name__ == '__main__':
    write_poems()
    keys, lines = inputs()
    print(keys.get_shape(), lines.dtype.name)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                for key, line in zip(*sess.run([keys, lines])):
                    print(key.decode(), '|', line.decode())
        except tf.errors.OutOfRangeError:
            print('done')
        coord.request_stop()
        coord.join(threads)
