"""What every test gets: TF1 mode, unless its folder asks for eager mode (``queues/modes.py``), a graph of its own,
and no threads of the test before.
"""

from __future__ import annotations

import gc
import pathlib
import signal
import threading
from typing import Iterator, Optional

import pytest
import tensorflow as tf

import queuecompat
from queuecompat._session.backend import SessionBackend
from queuecompat._session.steps import sessions
from queuecompat._session.streams import throughput
from tests.forking import Server
from tests.tiers import is_run_once, skip_if_time_is_over

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell's background job ignores interrupts, and would hand that down to every program that is tested.
    signal.signal(signal.SIGINT, signal.default_int_handler)

# TensorFlow remembers the mode of its first op as the outermost scope. Eager tests need it to be eager; graph tests
# have a graph of their own inside of it.
tf.constant(0)
tf.compat.v1.disable_v2_behavior()

# TensorFlow's own 300,000 objects stay out of every collection: each would take a third of a second over them.
gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "leave out what is the same on every TensorFlow (tests/tiers.py)"
    parser.addoption("--of-this-tensorflow", action="store_true", help=words)


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> Optional[bool]:
    is_left_out = config.getoption("of_this_tensorflow") and is_run_once(collection_path)
    return True if is_left_out else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    skip_if_time_is_over()


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    """A new default graph for each test."""
    with tf.Graph().as_default() as fresh:
        yield fresh


@pytest.fixture(autouse=True)
def no_thread_stays_behind() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:
        if thread.name in ("EventLoggerThread", "queuecompat-stall-watch"):
            continue  # one a process: TensorFlow's FileWriterCache, and our watch
        if isinstance(thread, threading._DummyThread):
            continue  # one of TensorFlow's pool, which ran some Python
        thread.join(timeout=10)
        assert not thread.is_alive(), f"the test left {thread} running"


@pytest.fixture(autouse=True)
def no_report_goes_on() -> Iterator[None]:
    """A report measures from its beginning to the end of the process, all graphs that are built after it included."""
    backends = [SessionBackend.observers, SessionBackend.session_observers]
    before = [list(observers) for observers in backends]
    yield
    throughput.measure(False)
    sessions.before_traced_steps.clear()
    for observers, earlier in zip(backends, before):
        observers[:] = earlier


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Runs whole programs, each in a process of its own that has TensorFlow already."""
    with Server(str(pathlib.Path(queuecompat.__file__).parents[1])) as running:
        yield running
