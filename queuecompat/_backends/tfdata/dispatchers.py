"""Checks that the dispatcher of a tf.data service answers, before TensorFlow connects to it and would wait forever.

A gRPC server answers the first bytes of HTTP/2 with its settings, so the check only asks for those. This shows that a
gRPC server is listening, without loading anything of TensorFlow or gRPC.
"""

from __future__ import annotations

import socket
import time
from typing import Tuple

from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["own_address_towards", "parts_of", "require_dispatcher"]

# Seconds. In a cluster, trainers are often started before the dispatcher listens.
PATIENCE = 30.0
_INTERVAL = 0.2
_TIMEOUT = 5.0
# The HTTP/2 client preface and an empty SETTINGS frame (type 4).
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_BYTES = 9
_SETTINGS = 4


def parts_of(address: str) -> Tuple[str, int]:
    """The host and the port of *address*, which may begin with a protocol."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)


def require_dispatcher(address: str) -> None:
    """Waits until a dispatcher answers at *address*, for at most ``PATIENCE`` seconds.

    Raises:
      QueueCompatRuntimeError: QC361, none has answered.
    """
    end = time.monotonic() + PATIENCE
    while True:
        why = _why_silent(address)
        if not why:
            return
        if time.monotonic() >= end:
            raise error(
                QueueCompatRuntimeError, "QC361", address=address, why=why, seconds=PATIENCE, port=parts_of(address)[1]
            )
        time.sleep(_INTERVAL)


def _why_silent(address: str) -> str:
    """Why no gRPC server answers at *address*; empty if one does."""
    try:
        with socket.create_connection(parts_of(address), timeout=_TIMEOUT) as connection:
            connection.sendall(_HELLO)
            answer = connection.recv(_FRAME_BYTES, socket.MSG_WAITALL)
    except OSError as problem:
        return str(problem)
    is_grpc = len(answer) == _FRAME_BYTES and answer[3] == _SETTINGS
    return "" if is_grpc else "what listens there does not speak gRPC"


def own_address_towards(address: str) -> str:
    """The address of this machine as seen from *address*: that of the network interface that leads there.

    Raises:
      OSError: *address* cannot be reached.
    """
    with socket.create_connection(parts_of(address), timeout=_TIMEOUT) as connection:
        host: str = connection.getsockname()[0]
    return f"[{host}]" if ":" in host else host
