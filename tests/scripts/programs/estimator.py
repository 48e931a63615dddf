"""Prices of houses by an estimator, whose input functions read CSV files through queues."""

import argparse
import glob
import json
import os
import sys

import tensorflow as tf

COLUMNS = ["rooms", "age", "district", "price"]
DEFAULTS = [[0], [45.0], [""], [0.0]]
DISTRICTS = ["harbour", "hill"]

tf.logging.set_verbosity(tf.logging.WARN)


class LossHook(tf.train.SessionRunHook):
    """Notes the loss of each step."""

    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs("loss:0")

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results))


def make_input_fn(filenames, batch_size, num_epochs):
    def input_fn():
        queue = tf.train.string_input_producer(filenames, num_epochs=num_epochs, shuffle=False)
        _, lines = tf.TextLineReader(skip_header_lines=1).read_up_to(queue, batch_size)
        columns = dict(zip(COLUMNS, tf.decode_csv(lines, record_defaults=DEFAULTS)))
        batch = tf.train.batch(columns, batch_size, enqueue_many=True, capacity=4 * batch_size)
        price = batch.pop("price")
        return batch, price / 100.0

    return input_fn


def model_fn(features, labels, mode, params):
    table = tf.contrib.lookup.index_table_from_tensor(DISTRICTS, num_oov_buckets=1)
    one_hot = tf.one_hot(table.lookup(features["district"]), 3)
    numbers = tf.stack([tf.cast(features["rooms"], tf.float32), features["age"] / 90.0], axis=1)
    inputs = tf.concat([numbers, one_hot], axis=1)
    weights = tf.get_variable("weights", [5, 1], initializer=tf.zeros_initializer())
    predicted = tf.squeeze(tf.matmul(inputs, weights), [1])
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"price": tf.estimator.export.PredictOutput({"price": predicted})}
        return tf.estimator.EstimatorSpec(mode, predictions={"price": predicted}, export_outputs=outputs)
    loss = tf.reduce_mean(tf.square(predicted - labels), name="loss")
    if mode == tf.estimator.ModeKeys.EVAL:
        metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops=metrics)
    optimizer = tf.train.GradientDescentOptimizer(params.learning_rate)
    train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def serving_input_fn():
    received = {
        "rooms": tf.placeholder(tf.int32, [None]),
        "age": tf.placeholder(tf.float32, [None]),
        "district": tf.placeholder(tf.string, [None]),
    }
    return tf.estimator.export.ServingInputReceiver(received, received)


def main(args):
    filenames = sorted(glob.glob(os.path.join(args.data_dir, "houses", "part-*.csv")))
    config = tf.estimator.RunConfig(model_dir=args.train_dir, save_checkpoints_steps=20, log_step_count_steps=10)
    params = tf.contrib.training.HParams(learning_rate=0.05)
    estimator = tf.estimator.Estimator(model_fn, config=config, params=params)

    hook = LossHook()
    estimator.train(make_input_fn(filenames, 20, 3), hooks=[hook])
    steps = int(estimator.get_variable_value("global_step"))
    train_spec = tf.estimator.TrainSpec(make_input_fn(filenames, 20, None), max_steps=steps + 25, hooks=[hook])
    exporter = tf.estimator.FinalExporter("prices", serving_input_fn)
    eval_spec = tf.estimator.EvalSpec(make_input_fn(filenames, 10, 1), steps=None, exporters=exporter, throttle_secs=0)
    tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)
    evaluated = estimator.evaluate(make_input_fn(filenames, 10, 1), steps=4)
    prices = [float(one["price"]) for one in estimator.predict(make_input_fn(filenames, 10, 1))]

    exported = os.path.join(args.train_dir, "export", "prices")
    with open(args.summary, "w") as file:
        json.dump({
            "checkpoints": sorted(name for name in os.listdir(args.train_dir) if name.endswith(".index")),
            "evaluated": {name: float(value) for name, value in evaluated.items()},
            "exported": [sorted(os.listdir(os.path.join(exported, one))) for one in os.listdir(exported)],
            "losses": hook.losses,
            "prices": prices,
            "steps": steps,
            "variables": estimator.get_variable_names(),
            "weights": estimator.get_variable_value("weights")[:, 0].tolist(),
        }, file, indent=1, sort_keys=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="/tmp/data")
    parser.add_argument("--train_dir", default="/tmp/estimator")
    parser.add_argument("--summary", default="/tmp/estimator.json")
    main(parser.parse_args(sys.argv[1:]))
