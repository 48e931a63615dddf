"""A file that is not there: the error comes out of coord.join, not out of the training loop."""
import tensorflow as tf

_, line = tf.TextLineReader().read(tf.train.string_input_producer(['nowhere.txt']))
batch = tf.train.batch([line], 2)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    try:
        sess.run(batch)
    except tf.errors.OpError:
        print('no batch')
        coord.request_stop()
    try:
        coord.join(threads)
    except tf.errors.NotFoundError as e:
        print('join:', type(e).__name__, 'nowhere.txt' in e.message)
print('stopped', coord.should_stop())
