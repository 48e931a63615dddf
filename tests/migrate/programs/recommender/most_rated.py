"""Counts what users rated, in one epoch."""

import collections

import tensorflow as tf

import dataio


def count():
    users, items, rates = dataio.read_ratings("ratings.dat", 2, num_epochs=1)
    counts, best = collections.Counter(), {}
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            while not coord.should_stop():
                u, i, r = sess.run([users, items, rates])
                counts.update(u.tolist())
                for item, rate in zip(i.tolist(), r.tolist()):
                    best[item] = max(best.get(item, 0.0), rate)
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    return counts, best


if __name__ == "__main__":
    counts, best = count()
    print(sorted(counts.items()), sorted(best.items()))
