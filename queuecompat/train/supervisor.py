"""``Supervisor``, which starts queue runners before the threads that may read from pipelines."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

__all__ = ["Supervisor"]


class Supervisor(tf.compat.v1.train.Supervisor):
    """Sets up a training program: session, checkpoints, summaries and queue runners.

    Arguments, methods and errors are those of ``tf.compat.v1.train.Supervisor``.

    Differs from TF1: Queue runners start before the standard services, not after them: a summary that reads from a
      compiled pipeline would otherwise raise QC301, where TF1 waited for the runners.
    Source: TF 1.15.5 ``python/training/supervisor.py``.
    """

    def prepare_or_wait_for_session(
        self,
        master: str = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> tf.compat.v1.Session:
        """Returns a session that is ready for training.

        Args:
          master: target of the session; "" is this process.
          config: a ``tf.compat.v1.ConfigProto``.
          wait_for_checkpoint: whether to wait for a checkpoint instead of initialising variables.
          max_wait_secs: how many seconds a worker that is not the chief waits for the chief.
          start_standard_services: whether to start queue runners and, on the chief, the threads for
            summaries and checkpoints.
        Returns:
          The session.
        """
        session = super().prepare_or_wait_for_session(
            master, config, wait_for_checkpoint, max_wait_secs, start_standard_services=False
        )
        if start_standard_services:
            self.start_queue_runners(session)
            if self.is_chief:
                self.start_standard_services(session)
        return session
