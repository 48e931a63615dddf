"""Look at the collection of queue runners, as programs do that start some of them by themselves."""
import tensorflow as tf

index = tf.train.range_input_producer(10, shuffle=False, capacity=16)
row = tf.train.slice_input_producer([tf.range(5)], shuffle=False)[0]
a = tf.train.batch([index.dequeue()], 2)
b = tf.train.shuffle_batch([row], 2, capacity=10, min_after_dequeue=2, num_threads=3)
c = tf.train.batch([a], 2, dynamic_pad=True, name='padded')

for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
    print(qr.name, qr.queue.name, len(qr.enqueue_ops), qr.close_op.name, qr.cancel_op.name)
    assert not qr.exceptions_raised
print(index.name, index.dtypes, [s.as_list() for s in index.shapes])
print([t.op.name for t in (a, b, c)])

with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = []
    for qr in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
        threads.extend(qr.create_threads(sess, coord=coord, daemon=True, start=True))
    print(sess.run(c).tolist(), len(sess.run(b)))
    coord.request_stop()
    coord.join(threads)
