"""No batch at all: every step makes a new dequeue op, the way beginners' programs did."""
import tensorflow as tf

queue = tf.train.input_producer(tf.constant([[1, 2], [3, 4], [5, 6]]), shuffle=False, num_epochs=2)
tf.add_to_collection('my_queue', queue.dequeue())

sess = tf.Session()
sess.run(tf.local_variables_initializer())
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess, coord)
try:
    for step in range(100):
        row = sess.run(queue.dequeue())
        print(step, row.tolist())
except tf.errors.OutOfRangeError:
    print('after step', step)
coord.request_stop()
coord.join(threads)
print(sess.run(queue.size()))
