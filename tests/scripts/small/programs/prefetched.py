"""slim's prefetch_queue, and dequeues of it in two towers."""
import tensorflow as tf
import tensorflow.contrib.slim as slim


def batches():
  image, label = tf.train.slice_input_producer(
      [tf.reshape(tf.range(48.), [12, 2, 2, 1]), tf.range(12) % 5], num_epochs=2, shuffle=False)
  return tf.train.batch([image, label], batch_size=4, num_threads=1, capacity=5 * 4)


def tower(queue, number):
  images, labels = queue.dequeue()
  with tf.variable_scope('net', reuse=number > 0):
    scale = tf.get_variable('scale', [], initializer=tf.constant_initializer(2.0))
  return tf.reduce_sum(images) * scale, tf.reduce_sum(labels)


def main():
  queue = slim.prefetch_queue.prefetch_queue(batches(), capacity=2)
  towers = [tower(queue, i) for i in range(2)]
  print(len(tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)), [v.op.name for v in tf.trainable_variables()])
  results = []
  with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    with slim.queues.QueueRunners(sess):
      try:
        for _ in range(3):
          results += [(int(a), int(b)) for a, b in sess.run(towers)]
      except tf.errors.OutOfRangeError:
        pass
  print(sorted(results))


if __name__ == '__main__':
  main()
