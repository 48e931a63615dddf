# Sequence examples of different lengths, padded in their batch.
import tensorflow as tf

FILES = ['data/reviews/train-0.tfrecords', 'data/reviews/train-1.tfrecords']


def inputs(batch_size=16):
  queue = tf.train.string_input_producer(FILES, num_epochs=1, shuffle=False, capacity=2)
  _, value = tf.TFRecordReader().read(queue)
  context, sequence = tf.parse_single_sequence_example(
      value, {'label': tf.FixedLenFeature([], tf.int64)}, {'tokens': tf.FixedLenSequenceFeature([], tf.int64)})
  tokens = sequence['tokens']
  return tf.train.batch(
      [tokens, tf.size(tokens), context['label']], batch_size, capacity=3 * batch_size, dynamic_pad=True,
      allow_smaller_final_batch=True, name='pad')


def run():
  tokens, lengths, labels = inputs()
  # An embedding of sorts: the mean of the known tokens.
  mask = tf.cast(tf.sequence_mask(lengths, tf.shape(tokens)[1]), tf.int64)
  means = tf.reduce_sum(tokens * mask, 1) // tf.cast(lengths, tf.int64)
  with tf.Session() as sess:
    sess.run([tf.local_variables_initializer(), tf.global_variables_initializer()])
    coord = tf.train.Coordinator()
    tf.train.start_queue_runners(sess=sess, coord=coord)
    batches = 0
    while not coord.should_stop():
      try:
        t, n, m, l = sess.run([tokens, lengths, means, labels])
      except tf.errors.OutOfRangeError:
        coord.request_stop()
        continue
      batches += 1
      print(batches, t.shape, n.max(), m.tolist()[:4], l.sum())
    coord.join()


if __name__ == '__main__':
  run()
