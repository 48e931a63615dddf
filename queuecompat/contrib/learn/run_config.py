"""``tf.contrib.learn.RunConfig``: what ``Experiment`` and ``learn_runner`` need to know of a run."""

from __future__ import annotations

import json
import os
from typing import Any, Optional

import tensorflow.compat.v1 as tf

from queuecompat import estimator

__all__ = ["Environment", "RunConfig", "TaskType"]


class Environment:
    """Where a program runs, as TF_CONFIG says: only on a cluster or in a cloud does ``Experiment`` start a server."""

    CLOUD = "cloud"
    GOOGLE = "google"
    LOCAL = "local"


class TaskType:
    """The kinds of processes of a cluster."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"


class RunConfig(estimator.RunConfig):
    """``tf.estimator.RunConfig`` with the arguments that it had in ``tf.contrib.learn``.

    Args:
      master, evaluation_master: addresses of servers; those of TF_CONFIG if None or empty.
      num_cores, log_device_placement, gpu_memory_fraction: in ``tf_config``, which contrib's own estimators used; for
        ``tf.estimator.Estimator`` only *session_config* counts, as in TensorFlow 1.
      model_dir, tf_random_seed, save_summary_steps, save_checkpoints_secs, save_checkpoints_steps, keep_checkpoint_max,
        keep_checkpoint_every_n_hours, log_step_count_steps, protocol, session_config, session_creation_timeout_secs: as
        in ``tf.estimator.RunConfig``; *save_checkpoints_secs* is 600 if neither it nor *save_checkpoints_steps* is set.
    Raises:
      ValueError: both *save_checkpoints_secs* and *save_checkpoints_steps*.
    Differs from TF1: Without a cluster, ``task_type`` is "worker" and ``num_worker_replicas`` is 1, as in
      ``tf.estimator.RunConfig``; TF1 had None and 0. There is no ``uid``.
    Source: TF 1.15.5 ``contrib/learn/python/learn/estimators/run_config.py``.
    """

    def __init__(
        self,
        master: Optional[str] = None,
        num_cores: int = 0,
        log_device_placement: bool = False,
        gpu_memory_fraction: float = 1,
        tf_random_seed: Optional[int] = None,
        save_summary_steps: Optional[int] = 100,
        save_checkpoints_secs: Optional[int] = 0,
        save_checkpoints_steps: Optional[int] = None,
        keep_checkpoint_max: Optional[int] = 5,
        keep_checkpoint_every_n_hours: float = 10000,
        log_step_count_steps: Optional[int] = 100,
        protocol: Optional[str] = None,
        evaluation_master: str = "",
        model_dir: Optional[str] = None,
        session_config: Optional[tf.ConfigProto] = None,
        session_creation_timeout_secs: int = 7200,
    ) -> None:
        if save_checkpoints_secs == 0:  # TF1's sign for the default
            save_checkpoints_secs = 600 if save_checkpoints_steps is None else None
        super().__init__(
            model_dir=model_dir,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_secs=save_checkpoints_secs,
            save_checkpoints_steps=save_checkpoints_steps,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            protocol=protocol,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        if master is not None:
            self._master = master
        if evaluation_master:
            self._evaluation_master = evaluation_master
        self._environment = json.loads(os.environ.get("TF_CONFIG") or "{}").get("environment", Environment.LOCAL)
        self._tf_config = tf.ConfigProto(
            log_device_placement=log_device_placement,
            inter_op_parallelism_threads=num_cores,
            intra_op_parallelism_threads=num_cores,
            gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=gpu_memory_fraction),
        )

    @property
    def environment(self) -> Any:
        return self._environment

    @property
    def tf_config(self) -> tf.ConfigProto:
        return self._tf_config
