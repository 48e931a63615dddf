"""Programs that read the message at the end of the data."""
import tensorflow as tf

x = tf.train.range_input_producer(10, num_epochs=1, shuffle=False).dequeue()
batch = tf.train.batch([x], 4, name='fours')
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    while True:
        try:
            print(sess.run(batch).tolist())
        except tf.errors.OutOfRangeError as e:
            if 'is closed and has insufficient elements' not in e.message:
                raise
            print('the end of', 'fours' if 'fours' in str(e) else 'something')
            break
    coord.request_stop()
    coord.join(threads)
