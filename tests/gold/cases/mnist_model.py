"""``tensorflow.examples.tutorials.mnist.mnist``: the names in checkpoints and summaries, and the numbers.

TF 1.15's package does not contain the file, so its results come from a network built by the public functions that the
tutorial calls, in its order. That graph equals, op by op, the graph of TF 1.14's file on TF 1.15.5.
"""

from __future__ import annotations

import importlib
import math
import types
from typing import Any

import numpy as np

from .harness import Result, gold, words

__all__: list[str] = []

BATCH, HIDDEN, STEPS = 8, (16, 12), 4


def _tutorial(tf: Any) -> Any:
    if tf.__name__.startswith("queuecompat"):
        return importlib.import_module(f"{tf.__name__}.examples.tutorials.mnist.mnist")

    def dense(name: str, values: Any, sizes: tuple) -> Any:
        with tf.name_scope(name):
            stddev = 1.0 / math.sqrt(float(sizes[0]))
            weights = tf.Variable(tf.truncated_normal(sizes, stddev=stddev), name="weights")
            biases = tf.Variable(tf.zeros([sizes[1]]), name="biases")
            product = tf.matmul(values, weights) + biases
            return product if name == "softmax_linear" else tf.nn.relu(product)

    def inference(images: Any, one: int, two: int) -> Any:
        return dense("softmax_linear", dense("hidden2", dense("hidden1", images, (784, one)), (one, two)), (two, 10))

    def loss(logits: Any, labels: Any) -> Any:
        return tf.losses.sparse_softmax_cross_entropy(labels=tf.to_int64(labels), logits=logits)

    def training(loss: Any, rate: float) -> Any:
        tf.summary.scalar("loss", loss)
        optimizer = tf.train.GradientDescentOptimizer(rate)
        return optimizer.minimize(loss, global_step=tf.Variable(0, name="global_step", trainable=False))

    def evaluation(logits: Any, labels: Any) -> Any:
        return tf.reduce_sum(tf.cast(tf.nn.in_top_k(logits, labels, 1), tf.int32))

    return types.SimpleNamespace(
        NUM_CLASSES=10,
        IMAGE_SIZE=28,
        IMAGE_PIXELS=784,
        inference=inference,
        loss=loss,
        training=training,
        evaluation=evaluation,
    )


def _start_values(variable: Any) -> np.ndarray:
    """Like the tutorial's own in size, and the same on every TensorFlow."""
    shape = variable.shape.as_list()
    return np.random.RandomState(sum(shape)).standard_normal(shape) / math.sqrt(shape[0] if shape else 1)


def _names(things: Any) -> np.ndarray:
    return words([thing.name for thing in things])


@gold
def the_mnist_tutorials_network_trains_under_its_names(tf: Any) -> Result:
    mnist = _tutorial(tf)
    random = np.random.RandomState(0)
    with tf.Graph().as_default() as graph:
        images = tf.placeholder(tf.float32, [BATCH, mnist.IMAGE_PIXELS], name="images")
        labels = tf.placeholder(tf.int32, [BATCH], name="labels")
        logits = mnist.inference(images, *HIDDEN)
        loss = mnist.loss(logits, labels)
        step = mnist.training(loss, 0.5)
        right = mnist.evaluation(logits, labels)
        summary = tf.summary.merge_all()
        variables = tf.global_variables()
        start = [tf.assign(one, tf.cast(_start_values(one), one.dtype.base_dtype)) for one in variables[:-1]]
        # What gradients and reductions are made of is TensorFlow's own doing.
        layers = [op for op in graph.get_operations() if op.name.startswith(("hidden", "softmax_linear", "loss"))]
        with tf.Session() as session:
            session.run([start, variables[-1].initializer])
            seen = []
            for _ in range(STEPS):
                feed = {images: random.uniform(size=(BATCH, 784)), labels: random.randint(0, 10, BATCH)}
                seen.append(session.run([loss, right, summary], feed))
                session.run(step, feed)
            steps = session.run(variables[-1])
        return {
            "constants": np.array([mnist.NUM_CLASSES, mnist.IMAGE_SIZE, mnist.IMAGE_PIXELS]),
            "returned": _names([logits, loss, step, right]),
            "ops": _names(layers),
            "variables": _names(variables),
            "trainable": _names(tf.trainable_variables()),
            "losses_collected": _names(tf.get_collection(tf.GraphKeys.LOSSES)),
            "summaries_collected": _names(tf.get_collection(tf.GraphKeys.SUMMARIES)),
            "loss": np.round([one for one, _, _ in seen], 3),
            "right": np.array([one for _, one, _ in seen]),
            "tags": words([tf.Summary.FromString(one).value[0].tag for _, _, one in seen]),
            "steps": np.array(steps),
        }
