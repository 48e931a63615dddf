"""A language model: one graph for training and one for validation, with shared variables."""

import numpy as np
import tensorflow as tf

import reader


class Input(object):
    def __init__(self, config, data, name=None):
        self.batch_size = batch_size = config["batch_size"]
        self.num_steps = num_steps = config["num_steps"]
        self.epoch_size = ((len(data) // batch_size) - 1) // num_steps
        self.input_data, self.targets = reader.producer(data, batch_size, num_steps, name=name)


class Model(object):
    def __init__(self, is_training, config, input_):
        self.input = input_
        size = config["vocab_size"]
        embedding = tf.get_variable("embedding", [size, config["hidden"]])
        inputs = tf.nn.embedding_lookup(embedding, input_.input_data)
        softmax_w = tf.get_variable("softmax_w", [config["hidden"], size])
        logits = tf.tensordot(inputs, softmax_w, 1)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=input_.targets, logits=logits)
        self.cost = cost = tf.reduce_sum(losses) / input_.batch_size
        self.train_op = tf.no_op()
        if not is_training:
            return
        self.lr = tf.Variable(0.0, trainable=False)
        tvars = tf.trainable_variables()
        grads, _ = tf.clip_by_global_norm(tf.gradients(cost, tvars), 5.0)
        self.train_op = tf.train.GradientDescentOptimizer(self.lr).apply_gradients(zip(grads, tvars))
        self.new_lr = tf.placeholder(tf.float32, shape=[], name="new_learning_rate")
        self.lr_update = tf.assign(self.lr, self.new_lr)

    def assign_lr(self, session, lr_value):
        session.run(self.lr_update, feed_dict={self.new_lr: lr_value})


def run_epoch(session, model):
    costs, iters = 0.0, 0
    for _ in range(model.input.epoch_size):
        vals = session.run({"cost": model.cost, "train": model.train_op})
        costs += vals["cost"]
        iters += model.input.num_steps
    return np.exp(costs / iters)


def main(_):
    train_data, valid_data = reader.raw_data(40)
    config = {"batch_size": 2, "num_steps": 3, "vocab_size": 5, "hidden": 2}
    with tf.Graph().as_default():
        initializer = tf.constant_initializer([[0.1, 0.2, -0.1, 0.3, 0.0], [0.2, 0.1, 0.0, -0.2, 0.1]])
        initializer = tf.random_uniform_initializer(-0.5, 0.5, seed=6)
        with tf.name_scope("Train"):
            train_input = Input(config, train_data, name="TrainInput")
            with tf.variable_scope("Model", reuse=None, initializer=initializer):
                m = Model(True, config, train_input)
        with tf.name_scope("Valid"):
            valid_input = Input(config, valid_data, name="ValidInput")
            with tf.variable_scope("Model", reuse=True, initializer=initializer):
                mvalid = Model(False, config, valid_input)
        sv = tf.train.Supervisor(summary_op=None)
        with sv.managed_session() as session:
            for i in range(3):
                m.assign_lr(session, 0.5 ** i)
                print("Epoch: %d Train Perplexity: %.3f" % (i + 1, run_epoch(session, m)))
                print("Epoch: %d Valid Perplexity: %.3f" % (i + 1, run_epoch(session, mvalid)))


if __name__ == "__main__":
    tf.app.run()
