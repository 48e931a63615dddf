"""A Python function loads each file: py_func, with the shape told afterwards."""
import os

import numpy as np
import tensorflow as tf

os.makedirs('scans', exist_ok=True)


def save_scans():
    for i in range(5):
        np.save('scans/%d.npy' % i, i + np.arange(6, dtype=np.float32).reshape(2, 3))


def load(path):
    scan = np.load(path.decode())
    return scan, np.int64(scan.sum())


def inputs():
    path = tf.train.string_input_producer(['scans/%d.npy' % i for i in range(5)], shuffle=False).dequeue()
    scan, total = tf.py_func(load, [path], [tf.float32, tf.int64])
    scan.set_shape([2, 3])
    total.set_shape(())
    return tf.train.batch([path, scan, total], batch_size=3)


if __name__ == '__main__':
    save_scans()
    path, scan, total = inputs()
    scaled = tf.reduce_max(scan, [1, 2]) / 2
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        for _ in range(4):
            p, s, t = sess.run([path, scaled, total])
            print([os.path.basename(x.decode()) for x in p], s.tolist(), t.tolist())
        coord.request_stop()
        coord.join(threads)
