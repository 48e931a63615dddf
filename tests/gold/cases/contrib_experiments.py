"""``tf.contrib.learn.Experiment`` and ``learn_runner`` with a ``tf.estimator.Estimator`` and queues."""

import json
import os
from typing import Any, Dict, List, Tuple

import numpy as np

from .harness import Result, error_at_call, gold, near, temporary_directory, word, words

__all__: List[str] = []

_ROWS = np.random.RandomState(3).rand(24, 3).astype(np.float32)
_TARGETS = _ROWS.dot(np.float32([1.0, -2.0, 0.5]))


def _input_fn(tf: Any, epochs: Any, log: List[str], name: str) -> Any:
    def build() -> Any:
        log.append(name)
        rows = tf.train.slice_input_producer([_ROWS, _TARGETS], num_epochs=epochs, shuffle=False)
        inputs, targets = tf.train.batch(rows, 8)
        return {"x": inputs}, targets

    return build


def _estimator(tf: Any, config: Any) -> Any:
    def model_fn(features: Dict[str, Any], labels: Any, mode: str) -> Any:
        weights = tf.get_variable("weights", [3, 1], initializer=tf.zeros_initializer())
        predicted = tf.squeeze(tf.matmul(features["x"], weights), [1])
        if mode == tf.estimator.ModeKeys.PREDICT:
            exported = {"serving_default": tf.estimator.export.PredictOutput(predicted)}
            return tf.estimator.EstimatorSpec(mode, predictions=predicted, export_outputs=exported)
        loss = tf.reduce_mean(tf.square(predicted - labels))
        train_op = tf.train.GradientDescentOptimizer(0.125).minimize(loss, tf.train.get_global_step())
        metrics = {"error": tf.metrics.mean_absolute_error(labels, predicted)}
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)

    return tf.estimator.Estimator(model_fn, config=config)


def _experiment(tf: Any, folder: str, steps: Any = 7, log: Any = None, **arguments: Any) -> Any:
    config = tf.contrib.learn.RunConfig(model_dir=folder, save_checkpoints_steps=3, tf_random_seed=1)
    log = [] if log is None else log
    return tf.contrib.learn.Experiment(
        _estimator(tf, config),
        _input_fn(tf, None, log, "train"),
        _input_fn(tf, 1, log, "eval"),
        train_steps=steps,
        eval_steps=None,
        **arguments,
    )


def _sorted(results: Dict[str, Any]) -> Tuple[np.ndarray, np.ndarray]:
    names = sorted(results)
    return words(names), np.array([np.float64(results[name]) for name in names])


@gold
def an_experiment_trains_and_evaluates(tf: Any) -> Result:
    log: List[str] = []
    with temporary_directory() as folder:
        experiment = _experiment(tf, folder, log=log, check_interval_secs=None)
        results, exports = experiment.train_and_evaluate()
        names, values = _sorted(results)
        again, more = _sorted(experiment.evaluate(delay_secs=0, name="named"))
        folders = [name for name in sorted(os.listdir(folder)) if name.startswith("eval")]
    return {
        "names": names,
        **near(4, {"values": values, "more": more}),
        "again": again,
        "exports": np.array(len(exports)),
        "inputs": words(log),
        "folders": words(folders),
    }


def _five_times(seen: List[Any]) -> Any:
    def go_on(eval_results: Any, checkpoint_path: Any) -> bool:
        seen.append(checkpoint_path and os.path.basename(checkpoint_path))
        return len(seen) < 5

    return go_on


@gold
def an_experiment_has_a_method_for_each_way_to_train(tf: Any) -> Result:
    found = {}
    for number, method in enumerate(["train", "test", "local_run", "continuous_train_and_eval", "continuous_eval"]):
        log: List[str] = []
        seen: List[Any] = []
        with temporary_directory() as folder:
            experiment = _experiment(
                tf, folder, 4, log, min_eval_frequency=0, train_steps_per_iteration=2, eval_delay_secs=0,
                continuous_eval_throttle_secs=0,
            )  # fmt: skip
            arguments = {}
            if method == "continuous_eval":
                experiment.train()

                arguments = {"continuous_eval_predicate_fn": _five_times(seen)}
            returned = getattr(experiment, method)(**arguments)
            found["%d_step" % number] = np.array(experiment.estimator.get_variable_value("global_step"))
        found["%d_inputs" % number] = words(log)
        found["%d_returned" % number] = word(type(returned).__name__)
        found["%d_seen" % number] = words([str(one) for one in seen])
    return found


@gold
def an_experiment_exports_what_it_evaluated(tf: Any) -> Result:
    def receive() -> Any:
        inputs = tf.placeholder(tf.float32, [None, 3])
        return tf.estimator.export.ServingInputReceiver({"x": inputs}, {"x": inputs})

    calls: List[str] = []

    def own(estimator: Any, export_path: Any, checkpoint_path: Any, eval_result: Any) -> str:
        base = os.path.basename(tf.compat.as_str(export_path))
        calls.append("%s %s %d" % (base, checkpoint_path and os.path.basename(checkpoint_path), len(eval_result)))
        return "done"

    with temporary_directory() as folder:
        strategies = [
            tf.contrib.learn.make_export_strategy(receive, exports_to_keep=1),
            tf.contrib.learn.ExportStrategy("own", own),
        ]
        experiment = _experiment(tf, folder, export_strategies=strategies, checkpoint_and_export=True)
        _, exports = experiment.train_and_evaluate()
        servo = os.path.join(folder, "export", "Servo")
        kept = os.listdir(servo)
        files = sorted(os.listdir(os.path.join(servo, kept[0])))
        is_last = tf.compat.as_str(exports[0]) == os.path.join(servo, kept[0])
        before = experiment.reset_export_strategies()
    return {
        "calls": words(calls),
        "kept": np.array([len(kept), len(before)]),
        "files": words(files),
        "is_last": word(str(is_last)),
        "own": word(exports[1]),
    }


@gold
def a_runner_makes_an_experiment_and_runs_it(tf: Any) -> Result:
    learn = tf.contrib.learn
    run = learn.learn_runner.run
    with temporary_directory() as folder:
        seen: List[str] = []

        def make(run_config: Any, hparams: Any) -> Any:
            seen.append(type(hparams).__name__)
            return learn.Experiment(
                _estimator(tf, run_config.replace(save_checkpoints_steps=2)),
                _input_fn(tf, None, [], ""),
                _input_fn(tf, 1, [], ""),
                train_steps=2,
            )

        def make_in(output_dir: str) -> Any:
            return _experiment(tf, output_dir, 5, min_eval_frequency=0)

        config = learn.RunConfig(model_dir=folder)
        results, _ = run(make, run_config=config, hparams=tf.contrib.training.HParams(rate=1))
        after = run(make_in, folder, "train").get_variable_value("global_step")
        plain = tf.estimator.RunConfig(model_dir=folder)
        errors = {
            "both": lambda: run(make, folder, run_config=config),
            "neither": lambda: run(make),
            "not_callable": lambda: run(1, folder),
            "empty": lambda: run(make_in, ""),
            "hparams_in_folder": lambda: run(make_in, folder, hparams=tf.contrib.training.HParams()),
            "no_experiment": lambda: run(lambda output_dir: 1, folder),
            "no_method": lambda: run(make_in, folder, "absent"),
            "no_callable_method": lambda: run(make_in, folder, "train_steps"),
            "other_config": lambda: run(make, run_config=plain),
            "config_without_folder": lambda: run(make, run_config=learn.RunConfig()),
            "other_hparams": lambda: run(make, run_config=config, hparams={}),
            "unused_config": lambda: run(lambda run_config, hparams: make_in(folder + "x"), run_config=config),
            "no_estimator": lambda: learn.Experiment(1, make, make),
            "metrics": lambda: _experiment(tf, folder, eval_metrics={"a": 1}),
            "iteration": lambda: _experiment(tf, folder, train_steps_per_iteration=1.5),
            "strategies": lambda: _experiment(tf, folder, export_strategies=[1]),
            "predicate": lambda: _experiment(tf, folder).continuous_train_and_eval(1),
            "no_server": lambda: _experiment(tf, folder).run_std_server(),
        }
        found = {name: error_at_call(tf, call) for name, call in errors.items()}
    return dict(found, step=np.array([results["global_step"], after]), hparams=words(seen))


@gold
def a_run_config_of_learn_has_contribs_defaults(tf: Any) -> Result:
    learn = tf.contrib.learn
    os.environ["TF_CONFIG"] = json.dumps(
        {"cluster": {"master": ["a:1"], "ps": ["b:1"], "worker": ["c:1"]}, "task": {"type": "ps", "index": 0}}
    )
    try:
        on_cluster = learn.RunConfig()
    finally:
        del os.environ["TF_CONFIG"]
    configs = [
        learn.RunConfig(),
        learn.RunConfig(save_checkpoints_steps=5, model_dir="/m", num_cores=2, gpu_memory_fraction=0.5, master=""),
        learn.RunConfig(save_checkpoints_secs=7, log_device_placement=True),
        learn.RunConfig(save_checkpoints_secs=None),
        learn.RunConfig(model_dir="/m").replace(save_checkpoints_steps=5),
        on_cluster,
    ]
    names = [
        "model_dir", "save_checkpoints_secs", "save_checkpoints_steps", "save_summary_steps", "keep_checkpoint_max",
        "tf_random_seed", "log_step_count_steps", "master", "evaluation_master", "environment", "task_id", "is_chief",
        "num_ps_replicas", "session_creation_timeout_secs", "keep_checkpoint_every_n_hours",
    ]  # fmt: skip
    result = {"names": words(names)}
    for number, one in enumerate(configs):
        result["config_%d" % number] = words([repr(getattr(one, name)) for name in names])
        result["proto_%d" % number] = word(repr(one.tf_config.SerializeToString()))
        result["task_%d" % number] = words([str(one.task_type), str(one.num_worker_replicas)])
    types = [learn.TaskType.MASTER, learn.TaskType.PS, learn.TaskType.WORKER, type(configs[4]).__name__]
    return dict(result, types=words(types))
