"""Predict a word from the words before it with a BasicLSTMCell."""
import json
import os

import tensorflow as tf

tf.flags.DEFINE_string('data_dir', '/tmp/data', 'The folder that holds words/')
tf.flags.DEFINE_string('summary', '/tmp/lstm_cell.json', 'Where to write what was seen')
tf.flags.DEFINE_integer('batch_size', 8, 'Sentences in a batch')
tf.flags.DEFINE_integer('num_epochs', 3, 'Passes over the text')
FLAGS = tf.flags.FLAGS


def read_sentence(vocabulary):
  """Word ids of one line, int32 [words]."""
  path = os.path.join(FLAGS.data_dir, 'words', 'ptb.train.txt')
  filename_queue = tf.train.string_input_producer([path], num_epochs=FLAGS.num_epochs)
  _, line = tf.TextLineReader().read(filename_queue)
  words = tf.string_split([line]).values
  return tf.to_int32(tf.argmax(tf.to_int32(tf.equal(tf.expand_dims(words, 1), vocabulary)), axis=1))


def main(_):
  with tf.gfile.GFile(os.path.join(FLAGS.data_dir, 'words', 'ptb.train.txt')) as f:
    vocabulary = sorted(set(f.read().split()))
  sentence = read_sentence(vocabulary)
  length = tf.size(sentence)
  sentences, lengths = tf.train.batch([sentence, length], FLAGS.batch_size, dynamic_pad=True)

  with tf.variable_scope('model', initializer=tf.random_uniform_initializer(-0.2, 0.2, seed=9)):
    embedding = tf.get_variable('embedding', [len(vocabulary), 16])
    cell = tf.nn.rnn_cell.BasicLSTMCell(16)
    outputs, _ = tf.nn.dynamic_rnn(
        cell, tf.nn.embedding_lookup(embedding, sentences[:, :-1]), sequence_length=lengths - 1, dtype=tf.float32)
    softmax_w = tf.get_variable('softmax_w', [16, len(vocabulary)])
  logits = tf.tensordot(outputs, softmax_w, [[2], [0]])
  mask = tf.sequence_mask(lengths - 1, tf.shape(logits)[1], dtype=tf.float32)
  loss = tf.losses.sparse_softmax_cross_entropy(sentences[:, 1:], logits, weights=mask)
  train_op = tf.train.AdamOptimizer(0.02).minimize(loss, tf.train.get_or_create_global_step())

  losses, shapes = [], []
  with tf.train.MonitoredTrainingSession() as sess:
    while not sess.should_stop():
      _, loss_value, values = sess.run([train_op, loss, sentences])
      losses.append(float(loss_value))
      shapes.append(list(values.shape))

  with open(FLAGS.summary, 'w') as f:
    json.dump({
        'dtypes': [sentences.dtype.name, lengths.dtype.name],
        'losses': losses,
        'padded_shapes': shapes,
        'shapes': [sentences.get_shape().as_list(), lengths.get_shape().as_list()],
        'vocabulary': vocabulary,
    }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
  tf.app.run()
