"""Two queues of the program's own, one behind the other: decode in the first, batches in the second."""
import tensorflow as tf

with tf.device('/cpu:0'):
    numbers = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
    squares = tf.FIFOQueue(4, [tf.int32], [[]], name='squares')
    tf.train.add_queue_runner(tf.train.QueueRunner(squares, [squares.enqueue(numbers * numbers)]))
    pairs = tf.FIFOQueue(2, [tf.int32, tf.string], [[2], []], name='pairs')
    two = squares.dequeue_many(2)
    tf.train.add_queue_runner(tf.train.QueueRunner(
        pairs, [pairs.enqueue([two, tf.as_string(tf.reduce_sum(two))])],
        queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError)))
    pair, text = pairs.dequeue()

config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=8)
with tf.Session(config=config) as sess:
    sess.run(tf.initialize_all_variables())
    sess.run(tf.initialize_local_variables())
    coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError))
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    while not coord.should_stop():
        try:
            p, t = sess.run([pair, text])
            print(p.tolist(), t.decode())
        except tf.errors.OutOfRangeError as e:
            coord.request_stop(e)
    coord.join(threads)
    print('clean')
