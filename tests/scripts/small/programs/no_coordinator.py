"""The shortest programs had no coordinator at all; the session's end ends the threads."""
import tensorflow as tf

a = tf.train.batch([tf.train.range_input_producer(5, shuffle=False).dequeue()], 3)
b = tf.train.batch_join([[tf.constant(1)], [tf.constant(2)]], 4)
with tf.Session() as s:
    tf.train.start_queue_runners(s)
    print([s.run(a).tolist() for _ in range(3)], set(s.run(b).tolist()) <= {1, 2})
with tf.Session() as s:
    tf.train.start_queue_runners()
    print(a.eval().tolist(), s.run(a + 1).tolist())
