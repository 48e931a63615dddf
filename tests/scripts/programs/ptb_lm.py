"""A recurrent language model on windows of a long text.

The text lies in one matrix; range_input_producer counts windows of it. The
network is written out by hand: tf.scan runs its single layer over time, and its
state is carried from each window to the next.
"""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import collections
import json
import os

import numpy as np
import tensorflow as tf

flags = tf.flags
logging = tf.logging

flags.DEFINE_string("data_dir", None, "Where the training data is stored.")
flags.DEFINE_string("summary", None, "Where to write what was seen.")
flags.DEFINE_integer("batch_size", 5, "Rows of the text's matrix.")
flags.DEFINE_integer("num_steps", 8, "Words in a window.")
flags.DEFINE_integer("hidden_size", 24, "Units of the network.")
flags.DEFINE_integer("max_epoch", 3, "Passes over the text.")

FLAGS = flags.FLAGS


def _read_words(filename):
  with tf.gfile.GFile(filename, "r") as f:
    return f.read().replace("\n", "<eos>").split()


def ptb_raw_data(data_path):
  """Returns the text as word ids, and the size of the vocabulary; frequent words have small ids."""
  data = _read_words(os.path.join(data_path, "words", "ptb.train.txt"))
  count_pairs = sorted(collections.Counter(data).items(), key=lambda x: (-x[1], x[0]))
  word_to_id = {word: i for i, (word, _) in enumerate(count_pairs)}
  return [word_to_id[word] for word in data], len(word_to_id)


def ptb_producer(raw_data, batch_size, num_steps, name=None):
  """Returns two int32 tensors [batch_size, num_steps], the second one word later, and the number of windows."""
  with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
    raw_data = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
    data_len = tf.size(raw_data)
    batch_len = data_len // batch_size
    data = tf.reshape(raw_data[0:batch_size * batch_len], [batch_size, batch_len])

    epoch_size = (batch_len - 1) // num_steps
    assertion = tf.assert_positive(epoch_size, message="epoch_size == 0, decrease batch_size or num_steps")
    with tf.control_dependencies([assertion]):
      epoch_size = tf.identity(epoch_size, name="epoch_size")

    i = tf.train.range_input_producer(epoch_size, shuffle=False).dequeue()
    x = tf.strided_slice(data, [0, i * num_steps], [batch_size, (i + 1) * num_steps])
    x.set_shape([batch_size, num_steps])
    y = tf.strided_slice(data, [0, i * num_steps + 1], [batch_size, (i + 1) * num_steps + 1])
    y.set_shape([batch_size, num_steps])
    return x, y, epoch_size


class PTBModel(object):
  """One recurrent layer between an embedding and a softmax."""

  def __init__(self, x, y, vocab_size):
    size = FLAGS.hidden_size
    self.initial_state = tf.zeros([FLAGS.batch_size, size])
    uniform = tf.random_uniform_initializer(-0.3, 0.3, seed=3)
    with tf.variable_scope("Model", initializer=uniform):
      embedding = tf.get_variable("embedding", [vocab_size, size])
      recurrent = tf.get_variable("recurrent", [2 * size, size])
      softmax_w = tf.get_variable("softmax_w", [size, vocab_size])
      softmax_b = tf.get_variable("softmax_b", [vocab_size], initializer=tf.zeros_initializer())
    inputs = tf.transpose(tf.nn.embedding_lookup(embedding, x), [1, 0, 2])

    def cell(state, word):
      return tf.tanh(tf.matmul(tf.concat([word, state], 1), recurrent))

    self.state_in = tf.placeholder_with_default(self.initial_state, self.initial_state.get_shape())
    outputs = tf.scan(cell, inputs, initializer=self.state_in)
    self.final_state = outputs[-1]
    output = tf.reshape(tf.transpose(outputs, [1, 0, 2]), [-1, size])
    logits = tf.matmul(output, softmax_w) + softmax_b
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(y, [-1]), logits=logits)
    self.cost = tf.reduce_sum(loss) / FLAGS.batch_size

    tvars = tf.trainable_variables()
    grads, _ = tf.clip_by_global_norm(tf.gradients(self.cost, tvars), 5)
    self.train_op = tf.train.GradientDescentOptimizer(0.1).apply_gradients(
        zip(grads, tvars), global_step=tf.train.get_or_create_global_step())


def run_epoch(session, model, x, epoch_size):
  """Runs the model over the text once; returns its perplexity and the first word of each window."""
  costs, iters, first_words = 0.0, 0, []
  state = session.run(model.initial_state)
  for _ in range(epoch_size):
    cost, state, _, words = session.run(
        [model.cost, model.final_state, model.train_op, x], {model.state_in: state})
    costs += cost
    iters += FLAGS.num_steps
    first_words.append(int(words[0, 0]))
  return float(np.exp(costs / iters)), first_words


def main(_):
  if not FLAGS.data_dir:
    raise ValueError("Must set --data_dir to the folder that holds words/")
  raw_data, vocab_size = ptb_raw_data(FLAGS.data_dir)
  with tf.Graph().as_default():
    x, y, epoch_size = ptb_producer(raw_data, FLAGS.batch_size, FLAGS.num_steps, name="TrainInput")
    model = PTBModel(x, y, vocab_size)
    perplexities = []
    sv = tf.train.Supervisor()
    with sv.managed_session() as session:
      windows = int(session.run(epoch_size))
      for i in range(FLAGS.max_epoch):
        perplexity, first_words = run_epoch(session, model, x, windows)
        perplexities.append(perplexity)
        print("Epoch: %d Train Perplexity: %.3f" % (i + 1, perplexity))

  with tf.gfile.GFile(FLAGS.summary, "w") as f:
    json.dump({
        "dtypes": [x.dtype.name, y.dtype.name],
        "first_words_of_the_last_epoch": first_words,
        "perplexities": perplexities,
        "shapes": [x.shape.as_list(), y.shape.as_list()],
        "vocabulary": vocab_size,
        "windows": windows,
    }, f, indent=1, sort_keys=True)


if __name__ == "__main__":
  tf.app.run()
