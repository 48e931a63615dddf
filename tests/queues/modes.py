"""The same tests in a graph and in eager mode.

A folder whose ``conftest.py`` imports ``graph`` from here runs each of its tests twice, once in each mode. A test
that has a meaning in one of them alone is marked ``in_a_graph`` or ``in_eager_mode``; a folder of eager tests
imports ``eagerly as graph``.

Rule: the process is in TF1 mode. TensorFlow's own switch turns TF2's behaviour on for one test, and off after it;
      threads that the test starts are in its mode, too.
"""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Iterator, List, Optional

import pytest
import tensorflow as tf

__all__ = [
    "LONG",
    "Background",
    "Mode",
    "eager_mode",
    "eagerly",
    "graph",
    "in_a_graph",
    "in_eager_mode",
    "mode",
    "wait_until",
]

_MODES = ("graph", "eager")
# Long enough for the busiest machine; whoever waits so long would wait for ever.
LONG = 60.0


class Mode:
    """How a test does what it builds."""

    def __init__(self, session: Optional[tf.compat.v1.Session]) -> None:
        self.session = session

    def op(self, build: Callable[[], Any]) -> Callable[[], Any]:
        """A function that does what *build* builds, each time and in any thread, and gives NumPy values."""
        if self.session is None:
            # What only does something gives None.
            return lambda: tf.nest.map_structure(lambda given: given if given is None else given.numpy(), build())
        fetches = build()
        return lambda: self.session.run(fetches)

    def run(self, build: Callable[[], Any]) -> Any:
        """Does it once."""
        return self.op(build)()


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A block in TensorFlow 2's mode, where no graph is the default one."""
    # TensorFlow refuses the switch while there is a global default graph.
    tf.compat.v1.reset_default_graph()
    tf.compat.v1.enable_v2_behavior()
    try:
        yield
    finally:
        tf.compat.v1.disable_v2_behavior()


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    """Eager mode, in a test that knows no other."""
    with eager_mode():
        yield


@pytest.fixture(autouse=True, params=_MODES)
def graph(request: pytest.FixtureRequest) -> Iterator[Optional[tf.Graph]]:
    """A new default graph for the test; None in eager mode."""
    if request.param == "eager":
        with eager_mode():
            yield None
    else:
        with tf.Graph().as_default() as fresh:
            yield fresh


def _only(mode: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("graph", [mode], indirect=True)


in_a_graph, in_eager_mode = map(_only, _MODES)


@pytest.fixture
def mode(graph: Optional[tf.Graph]) -> Iterator[Mode]:
    if graph is None:
        yield Mode(None)
    else:
        config = tf.compat.v1.ConfigProto(operation_timeout_in_ms=int(LONG * 1000))
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            yield Mode(session)


class Background:
    """``with Background(call) as work:`` a thread that calls it, joined at the end."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self.results: List[Any] = []
        self.thread = threading.Thread(target=self._work, daemon=True)

    def _work(self) -> None:
        try:
            self.results.append(self._call())
        except Exception as error:
            self.results.append(error)

    def result(self) -> Any:
        """What the call gave, or the error that it raised."""
        self.thread.join(LONG)
        assert not self.thread.is_alive(), "it hangs"
        return self.results[0]

    def __enter__(self) -> Background:
        self.thread.start()
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.result()


def wait_until(holds: Callable[[], bool]) -> None:
    """Asks until it is so: an op that waits in another thread has no event. The test's deadline ends it."""
    while not holds():
        pass
