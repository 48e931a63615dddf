"""The same tests in a graph and in eager mode.

A process has one mode, so ``test_eager.py`` of a folder runs the folder's tests a second time, in a
process where IS_EAGER holds, and with them ``in_eager_mode.py``, which has no meaning in a graph.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import threading
from typing import Any, Callable, Iterator, List, Optional, Sequence

import pytest
import tensorflow as tf

__all__ = [
    "IS_EAGER",
    "LONG",
    "Background",
    "Mode",
    "fail_unless_all_pass_eagerly",
    "fail_unless_they_pass_eagerly",
    "graph",
    "mode",
    "wait_until",
]

_SWITCH = "QUEUECOMPAT_TESTS_IN_EAGER_MODE"
_ROOT = pathlib.Path(__file__).parents[2]
IS_EAGER = os.environ.get(_SWITCH) == "1"
# Long enough for the busiest machine; whoever waits so long would wait for ever.
LONG = 60.0


class Mode:
    """How this process does what a test builds."""

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


@pytest.fixture(autouse=True)
def graph() -> Iterator[Optional[tf.Graph]]:
    """A new default graph for each test; none in eager mode."""
    if IS_EAGER:
        yield None
    else:
        with tf.Graph().as_default() as fresh:
            yield fresh


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


def fail_unless_all_pass_eagerly(folder: str) -> None:
    """Runs the tests of *folder* and its ``in_eager_mode.py`` in eager mode; shows the failures."""
    here = _ROOT / "tests" / folder
    files = [path for path in sorted(here.glob("test_*.py")) if path.name != "test_eager.py"]
    fail_unless_they_pass_eagerly([*files, here / "in_eager_mode.py"])


def fail_unless_they_pass_eagerly(files: Sequence[pathlib.Path]) -> None:
    """Runs the tests of *files* in eager mode; shows the failures."""
    environment = dict(os.environ, **{_SWITCH: "1"})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=100", *map(str, files)]
    done = subprocess.run(
        command,
        cwd=_ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=280,
    )
    if done.returncode != 0:
        pytest.fail(done.stdout[-10000:], pytrace=False)
