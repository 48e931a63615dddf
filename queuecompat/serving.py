"""``queuecompat serve``: runs a dispatcher or a worker of a tf.data service, in the foreground.

Rule 1: Every line of output is useful to a person at the terminal, or in the log of a cluster.
Rule 2: The process ends cleanly, with exit code 0, on SIGINT and SIGTERM.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from typing import Any, Optional

import tensorflow as tf

from queuecompat._backends.tfdata.dispatchers import own_address_towards, parts_of, require_dispatcher
from queuecompat.errors import QueueCompatRuntimeError

__all__ = ["serve_dispatcher", "serve_worker"]

service = tf.data.experimental.service


def serve_dispatcher(port: int, work_dir: Optional[str] = None) -> int:
    """Runs a dispatcher until a signal arrives; returns the exit code.

    Args:
      port: the port to listen on; 0: any free port.
      work_dir: a folder in which it keeps its state, so that it can be restarted; None: the state is lost.
    """
    signals = _signals()
    config = service.DispatcherConfig(port=port, work_dir=work_dir, fault_tolerant_mode=work_dir is not None)
    server = _started(lambda: service.DispatchServer(config), "dispatcher", port)
    if server is None:
        return 1
    number = parts_of(server.target)[1]
    _say(f"dispatcher: listening on port {number}, on all addresses of this machine")
    _say(f"dispatcher: start workers with: python -m queuecompat serve --worker --dispatcher-address HOST:{number}")
    _say(f"dispatcher: run programs with: python -m queuecompat run --data-service grpc://HOST:{number} train.py")
    if work_dir is None:
        _say("dispatcher: without --work-dir, jobs are lost when it is restarted")
    return _serve(server, "dispatcher", signals)


def serve_worker(dispatcher: str, port: int, host: Optional[str] = None) -> int:
    """Runs a worker of *dispatcher* until a signal arrives; returns the exit code.

    Args:
      dispatcher: the dispatcher's address.
      port: the port to listen on; 0: any free port.
      host: the name or address by which trainers reach this machine; None: the address that the dispatcher sees.
    """
    signals = _signals()
    try:
        require_dispatcher(dispatcher)
    except QueueCompatRuntimeError as problem:
        _say(str(problem))
        return 1
    own = host or own_address_towards(dispatcher)
    host_of_dispatcher, _, number = dispatcher.rpartition("://")[2].rpartition(":")
    config = service.WorkerConfig(
        dispatcher_address=f"{host_of_dispatcher}:{number}", worker_address=f"{own}:%port%", port=port
    )
    server = _started(lambda: service.WorkerServer(config), "worker", port)
    if server is None:
        return 1
    _say(
        f"worker: of the dispatcher at {dispatcher}; trainers reach it at {own}, port {port or 'chosen by the system'}"
    )
    _say("worker: data files must have the same paths here as where the program runs")
    return _serve(server, "worker", signals)


def _started(start: Any, what: str, port: int) -> Optional[Any]:
    try:
        _require_free(port)
        return start()
    except tf.errors.OpError as problem:
        _say(f"{what}: cannot serve on port {port}: {problem.message}")
    except (OSError, RuntimeError) as problem:
        _say(f"{what}: cannot serve on port {port}: {problem}")
    return None


def _require_free(port: int) -> None:
    """Checks that no other server uses *port*: gRPC servers can share one, and each would get some connections.

    Raises:
      OSError: another server does, or this process may not listen there.
    """
    if not port:
        return
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind(("", port))


def _serve(server: Any, what: str, signals: int) -> int:
    os.read(signals, 1)
    _say(f"{what}: stopping")
    # TensorFlow stops a server when its last reference is dropped.
    del server
    return 0


def _signals() -> int:
    """Returns a file descriptor that becomes readable as soon as a signal to stop arrives.

    Reading it cannot miss a signal. Waiting for an event could: a signal between the last check and the wait would wake
    nothing.
    """
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda *_: None)
    return reading


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
