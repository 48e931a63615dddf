"""``tf.contrib.learn.learn_runner``: makes an ``Experiment`` and runs one of its methods."""

from __future__ import annotations

from typing import Any, Callable, Optional

from queuecompat.contrib.learn.experiment import Experiment
from queuecompat.contrib.learn.run_config import RunConfig, TaskType
from queuecompat.contrib.training.hparam import HParams

__all__ = ["run", "tune"]

_SCHEDULES = {TaskType.MASTER: "train_and_evaluate", TaskType.PS: "run_std_server", TaskType.WORKER: "train"}


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: Any = None,
    schedule: Optional[str] = None,
    run_config: Optional[RunConfig] = None,
    hparams: Optional[HParams] = None,
) -> Any:
    """Makes an experiment, and calls its method *schedule*.

    Args:
      experiment_fn: called with *run_config* and *hparams*, which the estimator must use, or with *output_dir*; returns
        an ``Experiment``.
      output_dir, run_config: one of them.
      schedule: by default ``train_and_evaluate``; on a cluster the method for the kind of process.
      hparams: only with *run_config*.
    Returns:
      What the method returns.
    Raises:
      ValueError: not one of *output_dir* and *run_config*, *run_config* is of another class or has no ``model_dir``,
        *hparams* with *output_dir*, or ``Experiment`` has no method *schedule*.
      TypeError: *experiment_fn* is not callable or does not return an ``Experiment``, or *schedule* is not a method.
      RuntimeError: the estimator has another configuration.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/learn_runner.py``.
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError("learn_runner.run needs either output_dir or run_config")
    if not callable(experiment_fn):
        raise TypeError(f"experiment_fn must be callable, not {experiment_fn!r}")
    if run_config is not None:
        experiment = _made(experiment_fn, run_config, hparams)
    elif not output_dir or hparams is not None:
        raise ValueError("without run_config, learn_runner.run needs an output_dir that is not empty, and no hparams")
    else:
        experiment = _checked(experiment_fn(output_dir=output_dir))
    schedule = schedule or _default_schedule(run_config or experiment.estimator.config)
    if not hasattr(experiment, schedule):
        methods = [name for name in dir(experiment) if name[0] != "_" and callable(getattr(experiment, name))]
        raise ValueError(f"an Experiment has no method {schedule!r}, but {', '.join(methods)}")
    if not callable(getattr(experiment, schedule)):
        raise TypeError(f"{schedule!r} is not a method of an Experiment")
    return getattr(experiment, schedule)()


def tune(experiment_fn: Callable[..., Experiment], tuner: Any) -> None:
    """Lets *tuner* run an experiment for each of its trials: ``tuner.run_experiment(function)``.

    Args:
      experiment_fn: as in ``run``, with *run_config* and *hparams*.
      tuner: an object with the methods ``next_trial`` and ``run_experiment`` of ``tf.contrib.training.python``'s Tuner.
    Differs from TF1: None known.
    """

    def made(run_config: RunConfig, hparams: HParams) -> Experiment:
        if hparams is None:
            raise ValueError("hparams cannot be None")
        return _made(experiment_fn, run_config, hparams)

    while tuner.next_trial():
        tuner.run_experiment(made)


def _made(experiment_fn: Callable[..., Experiment], run_config: RunConfig, hparams: Optional[HParams]) -> Experiment:
    if not isinstance(run_config, RunConfig) or not run_config.model_dir:
        raise ValueError(f"run_config must be a tf.contrib.learn.RunConfig with a model_dir, not {run_config!r}")
    if hparams is not None and not isinstance(hparams, HParams):
        raise ValueError(f"hparams must be tf.contrib.training.HParams, not {hparams!r}")
    expected = run_config.model_dir
    experiment = _checked(experiment_fn(run_config, hparams))
    used = experiment.estimator.config
    if not isinstance(used, RunConfig) or used.model_dir != expected:
        raise RuntimeError(
            "the estimator of the experiment must have the run_config that experiment_fn was called with"
        )
    return experiment


def _checked(experiment: Any) -> Experiment:
    if not isinstance(experiment, Experiment):
        raise TypeError(f"experiment_fn must return a tf.contrib.learn.Experiment, not {experiment!r}")
    return experiment


def _default_schedule(config: Any) -> str:
    cluster = config.cluster_spec
    if not cluster or sum(cluster.num_tasks(job) for job in cluster.jobs) < 2:
        return "train_and_evaluate"
    if config.task_type not in _SCHEDULES:
        raise ValueError(f"learn_runner.run needs a schedule for a process of type {config.task_type!r}")
    return _SCHEDULES[config.task_type]
