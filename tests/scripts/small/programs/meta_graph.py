"""One part writes the graph, another reads it and knows nothing of how it was made."""
import os

import tensorflow as tf


def write(folder):
    with tf.Graph().as_default():
        x = tf.train.slice_input_producer([tf.range(8) * 3], shuffle=False)[0]
        batch = tf.train.batch([tf.to_float(x)], 4, name='examples')
        w = tf.Variable(2.0, name='w')
        tf.add_to_collection('result', tf.multiply(batch, w, name='scaled'))
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(w.initializer)
            sess.run(w.assign(0.5))
            return saver.save(sess, os.path.join(folder, 'model'))


def read(path):
    tf.reset_default_graph()
    saver = tf.train.import_meta_graph(path + '.meta')
    with tf.Session() as sess:
        saver.restore(sess, path)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        result = tf.get_collection('result')[0]
        for _ in range(3):
            print(sess.run(result).tolist())
        print(sess.run('examples:0').tolist(), sess.run('scaled:0').tolist())
        coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    read(write('.'))
