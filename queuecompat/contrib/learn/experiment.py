"""``tf.contrib.learn.Experiment``: an estimator, its two input functions, and when it trains, evaluates and exports."""

from __future__ import annotations

import inspect
import math
import os
import time
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat import estimator as estimators
from queuecompat.contrib.learn.export_strategy import ExportStrategy
from queuecompat.contrib.learn.run_config import Environment, RunConfig

__all__ = ["Experiment"]

Results = Dict[str, Any]
# Called with the results of the last evaluation and, if it has an argument of that name, its checkpoint_path.
Predicate = Callable[..., bool]


class Experiment:
    """What ``tf.estimator.train_and_evaluate`` does, with a method for each way to do it.

    Args:
      estimator: a ``tf.estimator.Estimator``.
      train_input_fn, eval_input_fn: input functions, with queues or without.
      eval_metrics: must be None; the metrics are those of the ``tf.estimator.EstimatorSpec``.
      train_steps: the global step at which the training ends; None: at the end of the input.
      eval_steps: the batches of an evaluation; None: all.
      train_monitors, eval_hooks: lists of ``tf.train.SessionRunHook``.
      local_eval_frequency: the *min_eval_frequency* of ``local_run``.
      eval_delay_secs: ``evaluate`` and ``continuous_eval`` wait so long before they start.
      continuous_eval_throttle_secs: the least time between two starts of an evaluation in ``continuous_eval``.
      min_eval_frequency: ``train_and_evaluate`` looks for a new checkpoint after so many steps; 0: only at its end.
      delay_workers_by_global_step: the other workers of a cluster wait for a step, not for some seconds.
      export_strategies: one ``ExportStrategy``, or several, which export the model after evaluations.
      train_steps_per_iteration: the steps between two evaluations in ``continuous_train_and_eval``; by default 1000, or
        a tenth of *train_steps*.
      checkpoint_and_export: ``train_and_evaluate`` evaluates and exports whenever it has saved a checkpoint.
      saving_listeners: as in ``tf.estimator.Estimator.train``.
      check_interval_secs: the least time between two looks for a new checkpoint.
    Raises:
      ValueError: *estimator* is not a ``tf.estimator.Estimator``, *eval_metrics* is not None,
        *train_steps_per_iteration* is no int, or *export_strategies* are of another class.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/experiment.py``.
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[[], Any],
        eval_input_fn: Callable[[], Any],
        eval_metrics: None = None,
        train_steps: Optional[int] = None,
        eval_steps: Optional[int] = 100,
        train_monitors: Optional[List[Any]] = None,
        eval_hooks: Optional[List[Any]] = None,
        local_eval_frequency: Optional[int] = None,
        eval_delay_secs: float = 120,
        continuous_eval_throttle_secs: float = 60,
        min_eval_frequency: Optional[int] = None,
        delay_workers_by_global_step: bool = False,
        export_strategies: Any = None,
        train_steps_per_iteration: Optional[int] = None,
        checkpoint_and_export: bool = False,
        saving_listeners: Optional[List[Any]] = None,
        check_interval_secs: Optional[float] = 5,
    ) -> None:
        if not isinstance(estimator, estimators.Estimator):
            raise ValueError(f"Experiment needs a tf.estimator.Estimator, not {estimator!r}")
        if eval_metrics is not None:
            raise ValueError("eval_metrics must be None: use eval_metric_ops of the tf.estimator.EstimatorSpec")
        if train_steps_per_iteration is not None and not isinstance(train_steps_per_iteration, int):
            raise ValueError(f"train_steps_per_iteration must be an int, not {train_steps_per_iteration!r}")
        self._estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._train_hooks, self._eval_hooks = list(train_monitors or []), list(eval_hooks or [])
        self._local_eval_frequency = local_eval_frequency
        self._min_eval_frequency = 1 if min_eval_frequency is None else min_eval_frequency
        self._eval_delay_secs = eval_delay_secs
        self._throttle_secs = continuous_eval_throttle_secs
        self._check_interval_secs = check_interval_secs
        self._waits_for_a_step = delay_workers_by_global_step
        self._steps_per_iteration = train_steps_per_iteration
        self._exports_checkpoints = checkpoint_and_export
        self._saving_listeners = saving_listeners
        self._strategies = _strategies(export_strategies)

    @property
    def estimator(self) -> Any:
        return self._estimator

    @property
    def eval_metrics(self) -> None:
        return None

    @property
    def train_steps(self) -> Optional[int]:
        return self._train_steps

    @property
    def eval_steps(self) -> Optional[int]:
        return self._eval_steps

    def extend_train_hooks(self, additional_hooks: Iterable[Any]) -> None:
        """Adds hooks to those of the training."""
        self._train_hooks.extend(additional_hooks)

    def reset_export_strategies(self, new_export_strategies: Any = None) -> Tuple[ExportStrategy, ...]:
        """Replaces the export strategies, and returns those it had."""
        before, self._strategies = self._strategies, _strategies(new_export_strategies)
        return before

    def train(self, delay_secs: Optional[float] = None) -> Any:
        """Trains up to ``train_steps``, and returns the estimator.

        Args:
          delay_secs: wait so long first; by default five seconds for each worker of the cluster before this one.
        """
        return self._train_with([], delay_secs)

    def evaluate(self, delay_secs: Optional[float] = None, name: Optional[str] = None) -> Results:
        """Waits *delay_secs*, by default ``eval_delay_secs``, evaluates, and returns the results.

        Args:
          name: of the evaluation, for its summaries.
        """
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs)
        return self._evaluated(self._eval_input_fn, name)

    def local_run(self) -> Tuple[Results, List[Any]]:
        """``train_and_evaluate`` with ``local_eval_frequency``."""
        return self._train_and_evaluate(self._local_eval_frequency)

    def train_and_evaluate(self) -> Tuple[Results, List[Any]]:
        """Trains, evaluates new checkpoints meanwhile, and evaluates and exports at the end.

        Returns:
          The results of the last evaluation, and what the export strategies returned.
        """
        return self._train_and_evaluate(self._min_eval_frequency)

    def continuous_eval(
        self,
        delay_secs: Optional[float] = None,
        throttle_delay_secs: Optional[float] = None,
        evaluate_checkpoint_only_once: bool = True,
        continuous_eval_predicate_fn: Optional[Predicate] = None,
        name: str = "continuous",
    ) -> None:
        """Evaluates and exports the checkpoints of another process until ``train_steps``, or forever.

        Args:
          delay_secs: by default ``eval_delay_secs``.
          throttle_delay_secs: by default ``continuous_eval_throttle_secs``.
          evaluate_checkpoint_only_once: wait for a new checkpoint before each evaluation.
          continuous_eval_predicate_fn: called with the results of the last evaluation (None before the first), and with
            *checkpoint_path* if it has that argument; ends if it returns False.
          name: of the evaluations, for their summaries.
        """
        go_on = _predicate(continuous_eval_predicate_fn)
        self._evaluate_on(
            self._eval_input_fn, name, delay_secs, throttle_delay_secs, go_on, evaluate_checkpoint_only_once, True
        )

    def continuous_eval_on_train_data(
        self,
        delay_secs: Optional[float] = None,
        throttle_delay_secs: Optional[float] = None,
        continuous_eval_predicate_fn: Optional[Predicate] = None,
        name: str = "continuous_on_train_data",
    ) -> None:
        """The same with the training's input, without exports."""
        go_on = _predicate(continuous_eval_predicate_fn)
        self._evaluate_on(self._train_input_fn, name, delay_secs, throttle_delay_secs, go_on, True, False)

    def continuous_train_and_eval(
        self, continuous_eval_predicate_fn: Optional[Predicate] = None
    ) -> Tuple[Optional[Results], Optional[List[Any]]]:
        """Trains ``train_steps_per_iteration`` steps, evaluates and exports in turn, until ``train_steps``, or forever.

        Args:
          continuous_eval_predicate_fn: as in ``continuous_eval``.
        Returns:
          The results of the last evaluation, and what the export strategies returned.
        """
        go_on = _predicate(continuous_eval_predicate_fn)
        steps = self._steps_per_iteration
        if steps is None:
            steps = 1000 if self._train_steps is None else self._train_steps // 10
        results: Optional[Results] = None
        exports = checkpoint = None
        while go_on(results, checkpoint) and not self._is_trained(results):
            self._fit(self._train_hooks, steps=steps)
            checkpoint = tf.train.latest_checkpoint(self._estimator.model_dir)
            results = self._evaluated(self._eval_input_fn, "one_pass", checkpoint)
            exports = self._export(results)
        return results, exports

    def test(self) -> Results:
        """One step of training, an evaluation of one batch, and the exports; returns the results."""
        self._fit(self._train_hooks, steps=1)
        results: Results = self._estimator.evaluate(self._eval_input_fn, steps=1, name="one_pass")
        self._export(results)
        return results

    def run_std_server(self) -> None:
        """Runs a server of the cluster, such as a parameter server, forever.

        Raises:
          ValueError: the configuration, or TF_CONFIG, names no cluster, or not which process of it this is.
        """
        self._server().join()

    def _train_and_evaluate(self, frequency: Optional[int]) -> Tuple[Results, List[Any]]:
        config = self._estimator.config
        if self._exports_checkpoints and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            listener = _AfterSaving(self)
            saver = tf.train.CheckpointSaverHook(
                self._estimator.model_dir,
                save_secs=config.save_checkpoints_secs,
                save_steps=config.save_checkpoints_steps,
                listeners=[listener],
            )
            self._train_with([saver], 0)
            return listener.results, listener.exports
        self._train_with([_Validation(self, frequency, self._check_interval_secs)] if frequency else [], 0)
        results = self._evaluated(self._eval_input_fn)
        return results, self._export(results)

    def _train_with(self, hooks: List[Any], delay_secs: Optional[float]) -> Any:
        self._start_server_of_a_cluster()
        task = self._estimator.config.task_id or 0
        if delay_secs is None and self._waits_for_a_step:
            hooks = [*hooks, tf.train.GlobalStepWaiterHook(int(8000.0 * math.log(task + 1)))]
        elif delay_secs is None:
            delay_secs = min(60, task * 5)
        _wait(delay_secs or 0)
        return self._fit([*self._train_hooks, *hooks], max_steps=self._train_steps)

    def _fit(self, hooks: List[Any], **steps: Optional[int]) -> Any:
        return self._estimator.train(
            self._train_input_fn, hooks=hooks, saving_listeners=self._saving_listeners, **steps
        )

    def _start_server_of_a_cluster(self) -> None:
        config = self._estimator.config
        if not (config.cluster_spec and config.master):
            return
        if not isinstance(config, RunConfig):
            raise ValueError(f"on a cluster, Experiment needs a tf.contrib.learn.RunConfig, not {config!r}")
        if config.environment == Environment.LOCAL:
            tf.logging.warning(
                "no server is started: set 'environment' to 'cloud' in TF_CONFIG to train on its cluster"
            )
        elif config.environment != Environment.GOOGLE:
            self._server()

    def _server(self) -> Any:
        config = self._estimator.config
        if not config.cluster_spec or not config.task_type or not config.master or config.task_id is None:
            raise ValueError("a server needs the cluster and the task of this process in TF_CONFIG")
        return tf.train.Server(
            config.cluster_spec,
            job_name=config.task_type,
            task_index=config.task_id,
            config=getattr(config, "tf_config", None),
        )

    def _evaluated(self, input_fn: Callable[[], Any], name: Optional[str] = None, checkpoint: Any = None) -> Results:
        results: Results = self._estimator.evaluate(
            input_fn, steps=self._eval_steps, hooks=self._eval_hooks, checkpoint_path=checkpoint, name=name
        )
        return results

    def _export(self, results: Results, checkpoint: Any = None) -> List[Any]:
        below = os.path.join(tf.compat.as_bytes(self._estimator.model_dir), b"export")
        return [
            one.export(self._estimator, os.path.join(below, tf.compat.as_bytes(one.name)), checkpoint, results)
            for one in self._strategies
        ]

    def _evaluate_on(
        self,
        input_fn: Callable[[], Any],
        name: str,
        delay_secs: Optional[float],
        throttle_secs: Optional[float],
        go_on: Callable[[Optional[Results], Any], bool],
        is_once: bool,
        exports: bool,
    ) -> None:
        _wait(self._eval_delay_secs if delay_secs is None else delay_secs)
        throttle_secs = self._throttle_secs if throttle_secs is None else throttle_secs
        results: Optional[Results] = None
        last: Any = None
        while go_on(results, last) and not self._is_trained(results):
            start = time.time()
            checkpoint = tf.train.latest_checkpoint(self._estimator.model_dir)
            results = {}
            if checkpoint and not (is_once and checkpoint == last):
                results = self._evaluated(input_fn, name, checkpoint)
                last = checkpoint
                if exports:
                    self._export(results, checkpoint)
            _wait(throttle_secs - (time.time() - start))

    def _is_trained(self, results: Optional[Results]) -> bool:
        step = (results or {}).get(tf.GraphKeys.GLOBAL_STEP)
        return bool(step and self._train_steps and step >= self._train_steps)


class _AfterSaving(tf.train.CheckpointSaverListener):
    """Evaluates and exports each new checkpoint."""

    def __init__(self, experiment: Experiment) -> None:
        self._experiment = experiment
        self._last: Any = None
        self.results: Any = None
        self.exports: Any = None

    def after_save(self, session: Any, global_step_value: int) -> None:
        checkpoint = tf.train.latest_checkpoint(self._experiment.estimator.model_dir)
        if checkpoint and checkpoint != self._last:
            self._last = checkpoint
            experiment = self._experiment
            self.results = experiment._evaluated(experiment._eval_input_fn, "intermediate_export", checkpoint)
            self.exports = experiment._export(self.results, checkpoint)


class _Validation(tf.train.SessionRunHook):
    """Evaluates a new checkpoint, for which it looks every so many steps, but not too often."""

    def __init__(self, experiment: Experiment, steps: int, interval_secs: Optional[float]) -> None:
        self._experiment, self._steps, self._interval_secs = experiment, steps, interval_secs
        self._last_step = 0
        self._last_look: Optional[float] = None
        self._last: Any = None

    def before_run(self, run_context: Any) -> Any:
        return tf.train.SessionRunArgs(tf.train.get_global_step())

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if run_values.results < self._last_step + self._steps:
            return
        self._last_step, now = run_values.results, time.time()
        if (
            self._interval_secs is not None
            and self._last_look is not None
            and now - self._last_look <= self._interval_secs
        ):
            return
        self._last_look = now
        checkpoint = tf.train.latest_checkpoint(self._experiment.estimator.model_dir)
        if checkpoint and checkpoint != self._last:
            self._last = checkpoint
            self._experiment._evaluated(self._experiment._eval_input_fn)


def _strategies(values: Any) -> Tuple[ExportStrategy, ...]:
    listed = (values,) if isinstance(values, ExportStrategy) else tuple(values or ())
    for one in listed:
        if not isinstance(one, ExportStrategy):
            raise ValueError(f"export_strategies must be tf.contrib.learn.ExportStrategy, not {one!r}")
    return listed


def _predicate(function: Optional[Predicate]) -> Callable[[Optional[Results], Any], bool]:
    if function is None:
        return lambda results, checkpoint: True
    if not callable(function):
        raise ValueError(f"continuous_eval_predicate_fn must be callable or None, not {function!r}")
    if "checkpoint_path" in inspect.signature(function).parameters:
        return lambda results, checkpoint: function(results, checkpoint_path=checkpoint)
    return lambda results, checkpoint: function(results)


def _wait(seconds: float) -> None:
    if seconds > 0:
        tf.logging.info("waiting for %.1f s", seconds)
        time.sleep(seconds)
