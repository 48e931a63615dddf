"""The supervisor, which starts queues before it starts the thread that reads from them."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

__all__ = ["Supervisor"]


class Supervisor(tf.compat.v1.train.Supervisor):
    """Sets up a training program: its session, checkpoints, curves and queue runners.

    Arguments, methods and errors are those of ``tf.compat.v1.train.Supervisor``.

    Differs from TF1: queue runners start before the standard services, not after them. The services'
    thread for curves runs its ops at once; when they read from a pipeline it waited there for the
    runners, where a compiled pipeline says that nobody has started it (QC301).
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
        """A session that is ready for training.

        Args:
          master: of the session's server; "" is this process.
          config: a ``tf.compat.v1.ConfigProto``.
          wait_for_checkpoint: whether to wait for one instead of initialising variables.
          max_wait_secs: how long a worker that is not the chief waits for the chief, in seconds.
          start_standard_services: whether to start queue runners and, if this is the chief, the threads
            for curves and checkpoints.
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
