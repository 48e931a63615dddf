"""Judge reviews of different lengths: a batch holds reviews of about one length.

bucket_by_sequence_length sorts SequenceExamples into queues, one for each range
of lengths, and pads what leaves one of them to its longest.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import tensorflow as tf

FLAGS = tf.flags.FLAGS

tf.flags.DEFINE_string('data_dir', '/tmp/data', 'The folder that holds reviews/.')
tf.flags.DEFINE_string('summary', '/tmp/buckets.json', 'Where to write what was seen.')
tf.flags.DEFINE_integer('batch_size', 10, 'Reviews in a batch.')
tf.flags.DEFINE_integer('num_epochs', 3, 'Passes over the reviews.')
tf.flags.DEFINE_integer('vocab_size', 50, 'Token ids are below this.')

BOUNDARIES = [5, 10, 18]


def read_review(filename_queue):
  """Tokens, int64 [length], and the label, int64 []."""
  reader = tf.TFRecordReader()
  _, serialized = reader.read(filename_queue)
  context, sequence = tf.parse_single_sequence_example(
      serialized,
      context_features={'label': tf.FixedLenFeature([], dtype=tf.int64)},
      sequence_features={'tokens': tf.FixedLenSequenceFeature([], dtype=tf.int64)})
  return sequence['tokens'], context['label']


def inputs():
  """Lengths, int32 [batch], tokens, int64 [batch, longest], and labels, int64 [batch]."""
  filenames = [os.path.join(FLAGS.data_dir, 'reviews', 'train-%d.tfrecords' % i) for i in range(2)]
  filename_queue = tf.train.string_input_producer(filenames, num_epochs=FLAGS.num_epochs, shuffle=False)
  tokens, label = read_review(filename_queue)
  lengths, (tokens, labels) = tf.contrib.training.bucket_by_sequence_length(
      input_length=tf.shape(tokens)[0],
      tensors=[tokens, label],
      batch_size=FLAGS.batch_size,
      bucket_boundaries=BOUNDARIES,
      num_threads=1,
      capacity=32,
      dynamic_pad=True,
      allow_smaller_final_batch=True)
  return lengths, tokens, labels


def bucket_of(length):
  return sum(length >= boundary for boundary in BOUNDARIES)


def main(unused_argv):
  with tf.Graph().as_default():
    lengths, tokens, labels = inputs()
    mask = tf.sequence_mask(lengths, tf.shape(tokens)[1], dtype=tf.float32)
    weights = tf.get_variable('weights', [FLAGS.vocab_size], initializer=tf.zeros_initializer())
    bias = tf.get_variable('bias', [], initializer=tf.zeros_initializer())
    scores = tf.reduce_sum(tf.gather(weights, tokens) * mask, axis=1) / tf.to_float(lengths) + bias
    loss = tf.losses.sigmoid_cross_entropy(labels, scores)
    global_step = tf.train.get_or_create_global_step()
    train_op = tf.train.AdamOptimizer(0.5).minimize(loss, global_step)

    losses, sizes, buckets, all_lengths, paddings = [], [], set(), [], []
    with tf.train.SingularMonitoredSession() as sess:
      while not sess.should_stop():
        _, loss_value, length_values, token_values = sess.run([train_op, loss, lengths, tokens])
        losses.append(loss_value)
        sizes.append(len(length_values))
        of_batch = {bucket_of(length) for length in length_values.tolist()}
        assert len(of_batch) == 1, 'A batch came from several buckets'
        buckets |= of_batch
        all_lengths.extend(length_values.tolist())
        # Padded to the longest of the batch, with zeros; no review has a token 0.
        paddings.append(token_values.shape[1] - max(length_values))
        assert ((token_values != 0).sum(axis=1) == length_values).all()
    print('%d reviews, loss %.3f' % (len(all_lengths), losses[-1]))

  with tf.gfile.Open(FLAGS.summary, 'w') as f:
    json.dump({
        'batch_sizes': sorted(sizes),
        'buckets': sorted(buckets),
        'dtypes': [t.dtype.name for t in (lengths, tokens, labels)],
        'lengths': sorted(all_lengths),
        'loss_fell': bool(sum(losses[-5:]) < sum(losses[:5])),
        'most_padding': int(max(paddings)),
        'shapes': [t.shape.as_list() for t in (lengths, tokens, labels)],
    }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
