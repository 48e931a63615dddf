"""Three sentences wait in a queue of their own; a counter goes with them and ends first."""
import tensorflow as tf

slim = tf.contrib.slim

sentence = tf.placeholder(tf.int32, [None])
source = tf.PaddingFIFOQueue(10, [tf.int32], [[None]])
put = source.enqueue([sentence])
with tf.variable_scope('state'):
  number = tf.get_variable('number', [], tf.int32, tf.zeros_initializer(), trainable=False)
batch = tf.train.batch([source.dequeue(), number.count_up_to(3)], 3, dynamic_pad=True)
queue = slim.prefetch_queue.prefetch_queue(batch, capacity=2, dynamic_pad=True)
words, ids = queue.dequeue()

with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  for one in ([1], [2, 2], [3, 3, 3]):
    sess.run(put, {sentence: one})
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess, coord)
  w, i = sess.run([words, ids])
  print(sorted(w.tolist()), sorted(i.tolist()))
  try:
    sess.run(words)
  except tf.errors.OutOfRangeError as e:
    print(type(e).__name__)
  coord.request_stop()
  coord.join(threads)
