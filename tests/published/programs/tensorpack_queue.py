"""A model trained by tensorpack from its queue, which a Python thread fills."""

import tempfile

import tensorflow as tf
from tensorpack import FakeData, ModelDesc, QueueInput, SimpleTrainer, TrainConfig, launch_train_with_config, logger
from tensorpack.callbacks import Callback

LOSSES = []


class Model(ModelDesc):
    def inputs(self):
        return [tf.placeholder(tf.float32, [None, 8], "x"), tf.placeholder(tf.int32, [None], "y")]

    def build_graph(self, x, y):
        logits = tf.matmul(x, tf.get_variable("w", [8, 3]))
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y)
        return tf.reduce_mean(losses, name="cost")

    def optimizer(self):
        return tf.train.GradientDescentOptimizer(0.1)


class Collect(Callback):
    def _before_run(self, _):
        return tf.train.SessionRunArgs("cost:0")

    def _after_run(self, _, values):
        LOSSES.append(values.results)


logger.set_logger_dir(tempfile.mkdtemp(), "d")
shapes, types = [[16, 8], [16]], ["float32", "int32"]
data = FakeData(shapes, size=1000, random=False, dtype=types, domain=[(0, 1), (0, 2)])
config = TrainConfig(model=Model(), data=QueueInput(data), steps_per_epoch=30, max_epoch=2, callbacks=[Collect()])
launch_train_with_config(config, SimpleTrainer())
assert len(LOSSES) == 60 and LOSSES[-1] < LOSSES[0], LOSSES
print("60 steps")
