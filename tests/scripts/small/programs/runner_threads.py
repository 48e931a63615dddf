"""What start_queue_runners returns: its threads, their names, and that they end."""
import re

import tensorflow as tf

names = tf.train.string_input_producer(['x', 'y', 'z'], num_epochs=2, shuffle=False, name='names')
name = names.dequeue()
out = tf.train.batch([name], 2, num_threads=2, name='pairs')

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    print(len(threads), all(t.daemon for t in threads))
    for thread in sorted(threads, key=lambda t: t.name):
        print(re.sub(r'_\d+', '', thread.name))
    got = []
    try:
        while True:
            got += sess.run(out).tolist()
    except tf.errors.OutOfRangeError:
        print(sorted(got))
    for t in threads:
        if 'close_on_stop' not in t.name:
            t.join(10)
    print('still there:', sorted('close_on_stop' in t.name for t in threads if t.is_alive()))
    coord.request_stop()
    for t in threads:
        t.join()
    print('still there:', [t.name for t in threads if t.is_alive()])
    print(tf.train.start_queue_runners(sess=sess, coord=coord, start=False) is not None)
