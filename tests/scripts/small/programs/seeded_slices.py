import numpy as np
import tensorflow as tf

# Rows of two arrays in a random order that a seed repeats: the order itself is printed.
X = np.arange(14, dtype=np.float32).reshape(7, 2)
Y = np.arange(7) % 3


def inputs():
    x, y = tf.train.slice_input_producer([X, Y], num_epochs=3, seed=11)
    return tf.train.batch([x, y], batch_size=4, num_threads=1, capacity=8, allow_smaller_final_batch=True)


if __name__ == "__main__":
    x, y = inputs()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        seen = []
        try:
            while True:
                a, b = sess.run([x, y])
                print(a[:, 0].astype(int).tolist(), b.tolist())
                seen += a[:, 0].astype(int).tolist()
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads)
    assert sorted(seen[:7]) == list(range(0, 14, 2))
    print(len(seen), 'rows')
