"""An estimator that a cluster trains, by TF_CONFIG alone, as it was written in 2018: one task of it.

    estimator.py NAMESPACE JOB PORTS FOLDER

PORTS: of the chief, of the worker and of the parameter server. A task ends with a line of JSON: its steps.
"""

import importlib
import json
import os
import sys
import warnings

warnings.simplefilter("ignore", DeprecationWarning)
tf = importlib.import_module(sys.argv[1])
JOB, PORTS, FOLDER = sys.argv[2], sys.argv[3].split(","), sys.argv[4]
STEPS = 60


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    cluster = {job: [f"localhost:{port}"] for job, port in zip(("chief", "worker", "ps"), PORTS)}
    os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": JOB, "index": 0}})
    counted = Counted()
    estimator = tf.estimator.Estimator(model, config=tf.estimator.RunConfig(FOLDER, save_checkpoints_steps=20))
    training = tf.estimator.TrainSpec(numbers, max_steps=STEPS, hooks=[counted])
    tf.estimator.train_and_evaluate(estimator, training, tf.estimator.EvalSpec(numbers, steps=1))
    print(json.dumps({"steps": counted.steps, "at": counted.at}))


def numbers():
    number = tf.train.range_input_producer(8, shuffle=False).dequeue()
    return {"x": tf.train.batch([tf.cast(number, tf.float32)], 4)}, None


def model(features, labels, mode):
    weight = tf.get_variable("weight", [], initializer=tf.constant_initializer(1.0))
    loss = tf.reduce_mean(tf.square(features["x"] * 0.01 - weight))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class Counted(tf.train.SessionRunHook):
    """The steps of this task, and where the variables are."""

    steps, at = 0, ""

    def begin(self):
        self.at = tf.global_variables("weight")[0].device

    def after_run(self, run_context, run_values):
        self.steps += 1


if __name__ == "__main__":
    main()
