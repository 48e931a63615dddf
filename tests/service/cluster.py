"""A dispatcher and workers of tf.data's service, as processes that ``queuecompat serve`` runs."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
from typing import Any, List, Optional, Sequence

__all__ = ["Cluster", "Process", "free_port"]

ROOT = pathlib.Path(__file__).parents[2]
# In seconds; a start takes five on a quiet machine.
DEADLINE = 120


class Process:
    """One that serves. Started and not forked: a server of gRPC has threads from its first moment on.

    It runs in *folder*, where the file ``name`` says which it is: an element that has it tells which worker made it.
    """

    def __init__(self, folder: pathlib.Path, *arguments: str) -> None:
        folder.mkdir(parents=True)
        (folder / "name").write_text(folder.name)
        self._stderr = folder / "stderr"
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
        with self._stderr.open("wb") as stderr:
            command = [sys.executable, "-m", "queuecompat", "serve", *arguments]
            self._process = subprocess.Popen(command, stderr=stderr, cwd=folder, env=environment)

    def says(self, pattern: str) -> Any:
        """The match of *pattern* in what it writes; waits for it."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end:
            is_over = self._process.poll() is not None
            found = re.search(pattern, self._stderr.read_text())
            if found is not None:
                return found
            if is_over:
                break
            time.sleep(0.05)
        raise AssertionError(f"{pattern!r} is not in what it wrote: {self._stderr.read_text()}")

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends it a signal, unless it has ended, and waits for its end; returns the exit code."""
        if self._process.poll() is None:
            self._process.send_signal(number)
        return self._process.wait(DEADLINE)


class Cluster:
    """A dispatcher and *workers* workers."""

    def __init__(
        self, folder: pathlib.Path, workers: Sequence[str] = ("0", "0"), work_dir: Optional[pathlib.Path] = None
    ) -> None:
        self._folder, self._count, self._work_dir = folder, 0, work_dir
        self.workers: List[Process] = []
        self.port = free_port()
        self.address = f"grpc://localhost:{self.port}"
        self.dispatcher = self._dispatcher()
        for worker in workers:
            self.start_worker(worker)
        self.dispatcher.says("listening on port")
        for process in self.workers:
            process.says("worker: of the dispatcher")

    def _dispatcher(self) -> Process:
        self._count += 1
        journal = [] if self._work_dir is None else ["--work-dir", str(self._work_dir)]
        folder = self._folder / f"dispatcher-{self._count}"
        return Process(folder, "--dispatcher", "--port", str(self.port), *journal)

    def kill_and_restart_dispatcher(self) -> None:
        self.dispatcher.end(signal.SIGKILL)
        self.dispatcher = self._dispatcher()
        self.dispatcher.says("listening on port")

    def start_worker(self, port: str) -> Process:
        self._count += 1
        folder, address = self._folder / f"worker-{self._count}", f"localhost:{self.port}"
        self.workers.append(Process(folder, "--worker", "--dispatcher-address", address, "--port", port))
        return self.workers[-1]

    def end(self) -> None:
        for process in [*self.workers, self.dispatcher]:
            process.end(signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("", 0))
        port: int = listener.getsockname()[1]
        return port
