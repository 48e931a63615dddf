"""``mnist.inference``, ``loss``, ``training``, ``evaluation``: the tutorial's network of two hidden layers.

TensorFlow's ``fully_connected_feed.py`` and ``fully_connected_reader.py``, and many programs modelled after them, build
it. Names of ops and variables are the tutorial's, so that checkpoints and event files of that time fit.

Source: TF 1.14 ``examples/tutorials/mnist/mnist.py``; TF 1.15's package leaves the file out.
"""

from __future__ import annotations

from typing import Any

import tensorflow.compat.v1 as _tf

__all__ = ["IMAGE_PIXELS", "IMAGE_SIZE", "NUM_CLASSES", "evaluation", "inference", "loss", "training"]

NUM_CLASSES = 10  # the digits
IMAGE_SIZE = 28  # pixels, in each direction
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def inference(images: Any, hidden1_units: int, hidden2_units: int) -> Any:
    """The network, from pixels to logits.

    Args:
      images: float32 ``[batch, IMAGE_PIXELS]``.
      hidden1_units, hidden2_units: sizes of the two hidden layers.
    Returns:
      Logits, float32 ``[batch, NUM_CLASSES]``.
    Differs from TF1: None known.
    """
    hidden1 = _layer("hidden1", images, IMAGE_PIXELS, hidden1_units, activation=_tf.nn.relu)
    hidden2 = _layer("hidden2", hidden1, hidden1_units, hidden2_units, activation=_tf.nn.relu)
    return _layer("softmax_linear", hidden2, hidden2_units, NUM_CLASSES)


def loss(logits: Any, labels: Any) -> Any:
    """The mean cross entropy of a batch, a scalar; it is added to the collection ``LOSSES``.

    Args:
      logits: float32 ``[batch, NUM_CLASSES]``.
      labels: int ``[batch]``, the number of the right class.
    Differs from TF1: None known.
    """
    return _tf.losses.sparse_softmax_cross_entropy(labels=_tf.cast(labels, _tf.int64, name="ToInt64"), logits=logits)


def training(loss: Any, learning_rate: float) -> Any:
    """Returns the op of one gradient descent step; also adds the summary "loss" and the variable "global_step".

    Args:
      loss: float scalar, to be minimised.
      learning_rate: the learning rate of the gradient descent.
    Differs from TF1: None known.
    """
    _tf.summary.scalar("loss", loss)
    optimizer = _tf.train.GradientDescentOptimizer(learning_rate)
    # A plain variable, not the graph's global step: the tutorial makes its own one at each call.
    steps = _tf.Variable(0, trainable=False, name="global_step")
    return optimizer.minimize(loss, global_step=steps)


def evaluation(logits: Any, labels: Any) -> Any:
    """Counts the examples of a batch whose largest logit is at the right class: int32 scalar.

    Args:
      logits: float32 ``[batch, NUM_CLASSES]``.
      labels: int32 or int64 ``[batch]``.
    Differs from TF1: None known.
    """
    is_right = _tf.nn.in_top_k(logits, labels, 1)
    return _tf.reduce_sum(_tf.cast(is_right, _tf.int32))


def _layer(name: str, values: Any, size_in: int, size_out: int, activation: Any = lambda values: values) -> Any:
    """Adds a dense layer; its weights begin small enough to keep the scale of *values*."""
    with _tf.name_scope(name):
        start = _tf.truncated_normal([size_in, size_out], stddev=float(size_in) ** -0.5)
        weights = _tf.Variable(start, name="weights")
        biases = _tf.Variable(_tf.zeros([size_out]), name="biases")
        return activation(_tf.matmul(values, weights) + biases)
