"""Queue ops by their names: a monitor that knows a graph only from its text."""
import tensorflow as tf

row = tf.train.slice_input_producer([tf.range(30)], shuffle=False, num_epochs=1)
batch = tf.train.shuffle_batch(row, 5, capacity=20, min_after_dequeue=5)

with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    seen = sess.run(batch).tolist()
    size = int(sess.run('shuffle_batch/random_shuffle_queue_Size:0'))
    print('size fits:', 0 <= size <= 20)
    print(sess.graph.get_tensor_by_name('shuffle_batch:0') is batch)
    try:
        while True:
            seen += sess.run('shuffle_batch:0').tolist()
    except tf.errors.OutOfRangeError:
        print(sorted(seen) == list(range(30)))
    print('empty:', int(sess.run('shuffle_batch/random_shuffle_queue_Size:0')))
    print('empty:', int(sess.run('input_producer/input_producer/input_producer_Size:0')))
    coord.request_stop()
    coord.join(threads)
