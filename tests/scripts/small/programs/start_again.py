"""Training is stopped and started again in the same session: what do the second runners do?"""
import tensorflow as tf

x = tf.train.range_input_producer(6, shuffle=False, name='numbers').dequeue()
batch = tf.train.batch([x * x], batch_size=3)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()

for attempt in range(2):
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    batches = []
    try:
        for _ in range(3):
            batches.append(sess.run(batch).tolist())
    except tf.errors.OutOfRangeError as e:
        print('attempt', attempt, type(e).__name__)
    # The second start finds queues that the first one closed.
    print('attempt', attempt, batches if attempt == 0 else len(batches) <= 10, len(threads) > 0)
    coord.request_stop()
    try:
        coord.join(threads)
    except tf.errors.OpError as e:
        print('join', type(e).__name__)

sess.close()
with tf.Session() as fresh:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(fresh, coord)
    print('a new session', fresh.run(batch).tolist())
    coord.request_stop()
    coord.join(threads)
