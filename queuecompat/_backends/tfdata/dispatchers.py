"""Whether the dispatcher of a tf.data service is there: asked before TensorFlow is, which would wait for it forever.

A server of gRPC answers the first bytes of HTTP/2 with its settings, so that much is asked for: what listens there is
known to be one, and nothing of TensorFlow's or of gRPC's has to be loaded for it.
"""

from __future__ import annotations

import socket
import time
from typing import Tuple

from queuecompat.errors import QueueCompatRuntimeError, error

__all__ = ["own_address_towards", "parts_of", "require_dispatcher"]

# Seconds. In a cluster trainers are often started before the dispatcher listens.
PATIENCE = 30.0
_INTERVAL = 0.2
_TIMEOUT = 5.0
# The client's first bytes, and its settings: a frame without content, of type 4.
_HELLO = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
_FRAME_BYTES = 9
_SETTINGS = 4


def parts_of(address: str) -> Tuple[str, int]:
    """The host and the port of *address*, which may begin with a protocol."""
    host, _, port = address.rpartition("://")[2].rpartition(":")
    return host.strip("[]"), int(port)


def require_dispatcher(address: str) -> None:
    """Waits until a dispatcher answers at *address*, for ``PATIENCE`` seconds at most.

    Raises:
      QueueCompatRuntimeError: QC361, none does.
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
    """Why there is no server of gRPC at *address*; empty if there is one."""
    try:
        with socket.create_connection(parts_of(address), timeout=_TIMEOUT) as connection:
            connection.sendall(_HELLO)
            answer = connection.recv(_FRAME_BYTES, socket.MSG_WAITALL)
    except OSError as problem:
        return str(problem)
    is_grpc = len(answer) == _FRAME_BYTES and answer[3] == _SETTINGS
    return "" if is_grpc else "what listens there does not speak gRPC"


def own_address_towards(address: str) -> str:
    """The address by which this machine is reached from where *address* is: that of the way to it.

    Raises:
      OSError: there is none.
    """
    with socket.create_connection(parts_of(address), timeout=_TIMEOUT) as connection:
        host: str = connection.getsockname()[0]
    return f"[{host}]" if ":" in host else host
