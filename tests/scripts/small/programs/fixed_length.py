"""Count the labels of binary pictures under an old-fashioned tf.app.run."""
from __future__ import absolute_import
from __future__ import print_function

import collections
import os

import tensorflow as tf

flags = tf.app.flags
FLAGS = flags.FLAGS
flags.DEFINE_integer('batch_size', 25, 'pictures a batch')
flags.DEFINE_boolean('verbose', False, 'print every batch')

RECORD = 1 + 32 * 32 * 3


def inputs(batch_size=25):
  files = [os.path.join('data', 'cifar', 'data_batch_%d.bin' % i) for i in (1, 2, 3)]
  queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
  key, value = tf.FixedLengthRecordReader(record_bytes=RECORD).read(queue)
  raw = tf.decode_raw(value, tf.uint8)
  label = tf.cast(tf.strided_slice(raw, [0], [1]), tf.int32)
  depth_major = tf.reshape(tf.strided_slice(raw, [1], [RECORD]), [3, 32, 32])
  picture = tf.transpose(depth_major, [1, 2, 0])
  picture = tf.image.resize_image_with_crop_or_pad(picture, 4, 4)
  label.set_shape([1])
  pictures, labels = tf.train.batch([picture, label], batch_size=batch_size, num_threads=1)
  return pictures, tf.reshape(labels, [batch_size])


def main(_):
  pictures, labels = inputs(FLAGS.batch_size)
  print(pictures.get_shape().as_list(), labels.get_shape().as_list())
  counts, total = collections.Counter(), 0
  sess = tf.Session()
  sess.run(tf.initialize_local_variables())
  coord = tf.train.Coordinator()
  threads = tf.train.start_queue_runners(sess=sess, coord=coord)
  try:
    while True:
      p, l = sess.run([pictures, labels])
      if FLAGS.verbose:
        print(l.tolist())
      counts.update(l.tolist())
      total += int(p.sum())
  except tf.errors.OutOfRangeError:
    pass
  coord.request_stop()
  coord.join(threads, stop_grace_period_secs=10)
  sess.close()
  print(sorted(counts.items()), total)


if __name__ == '__main__':
  tf.app.run()
