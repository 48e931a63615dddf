"""A training loop that a timer ends: 'train for a second, then stop'."""
import threading

import tensorflow as tf

steps = tf.train.range_input_producer(100, shuffle=False).dequeue()
batch = tf.train.batch([steps], batch_size=10, capacity=40)

sess = tf.Session()
coord = tf.train.Coordinator()
threads = tf.train.start_queue_runners(sess=sess, coord=coord)
first = sess.run(batch)
print(first.tolist())

timer = threading.Timer(0.3, coord.request_stop)
timer.start()

# Nobody looks at should_stop here: what ends the loop is the end of the queue.
complete = 0
try:
  while True:
    assert len(sess.run(batch)) == 10
    complete += 1
except tf.errors.OutOfRangeError:
  print('the queue is closed; asked to stop:', coord.should_stop())
coord.join(threads)
print('some batches came:', complete > 0)
try:
  sess.run(batch)
except tf.errors.OutOfRangeError:
  print('and nothing comes after the join')
sess.close()
