"""Training in two goes: the second one finds the checkpoint of the first, and data from its beginning."""
import os

import tensorflow as tf


def go(steps):
    tf.reset_default_graph()
    path = tf.train.string_input_producer(['data/words/ptb.train.txt'], shuffle=False)
    _, line = tf.TextLineReader().read(path)
    length = tf.size(tf.string_split([line]).values)
    lengths = tf.train.batch([length], 8)
    step = tf.contrib.framework.get_or_create_global_step()
    longest = tf.get_variable('longest', [], tf.int32, tf.zeros_initializer())
    update = tf.assign(longest, tf.maximum(longest, tf.reduce_max(lengths)))
    train = tf.group(update, tf.assign_add(step, 1))
    saver = tf.train.Saver(max_to_keep=1)
    with tf.Session() as sess:
        checkpoint = tf.train.latest_checkpoint('.')
        if checkpoint:
            saver.restore(sess, checkpoint)
            print('restored', os.path.basename(checkpoint))
        else:
            sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        print('first', sess.run(lengths).tolist())
        for _ in range(steps):
            sess.run(train)
        print('step %d, longest %d' % tuple(sess.run([step, longest])))
        saver.save(sess, './words', global_step=step)
        coord.request_stop()
        coord.join(threads)


if __name__ == '__main__':
    go(5)
    go(3)
    print(sorted(f for f in os.listdir('.') if f.endswith('.index')))
