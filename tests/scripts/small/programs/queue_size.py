"""How full is it? queue.size(), and a fresh queue.dequeue() in each step, while the runners run."""
import tensorflow as tf

queue = tf.train.string_input_producer(['file-%d' % i for i in range(4)], shuffle=False, num_epochs=2, capacity=32)
batch = tf.train.batch([tf.string_join([queue.dequeue(), '.png'])], 3)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    print(sess.run(batch).tolist())
    size = sess.run(queue.size())
    print('between 0 and 8:', 0 <= size <= 8)
    try:
        sess.run(queue.close(cancel_pending_enqueues=True))
        left = []
        while True:
            left.append(sess.run(queue.dequeue()))
    except tf.errors.OutOfRangeError:
        print('drained', len(left) <= 5)
    coord.request_stop()
    coord.join(threads)
