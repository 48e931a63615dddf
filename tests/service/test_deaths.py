"""Servers of tf.data's service that die: a dispatcher that comes back, and a worker that does not.

The tests are in the order of what happens to one cluster.
"""

from __future__ import annotations

import collections
import contextlib
import signal
import threading
from typing import Any, Iterator, List

import pytest
import tensorflow as real

import queuecompat
import queuecompat.v1 as tf
from queuecompat._native import waiting
from queuecompat._session.errors import stalls
from tests.pipelines.running import started
from tests.service.cluster import Cluster

TOTAL, EPOCHS = 300, 4


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder = tmp_path_factory.mktemp("cluster")
    made = Cluster(folder / "processes", work_dir=folder / "journal")
    yield made
    made.end()


def numbers(files: List[str], address: str) -> Any:
    """Every number EPOCHS times, by TensorFlow's own ops alone."""
    with queuecompat.options(data_service=address):
        queue = tf.train.string_input_producer(files, num_epochs=EPOCHS)
        number = tf.string_to_number(tf.TFRecordReader().read(queue)[1], tf.int32)
        return tf.train.shuffle_batch([number], 5, 40, 10, allow_smaller_final_batch=True)


def test_a_dispatcher_with_a_work_dir_may_be_killed_and_started_again(files: List[str], cluster: Cluster) -> None:
    seen: List[int] = []
    with real.Graph().as_default() as graph:
        batch = numbers(files, cluster.address)
        with started(graph) as session, pytest.raises(real.errors.OutOfRangeError):
            for _ in range(3):
                seen += session.run(batch).tolist()
            cluster.kill_and_restart_dispatcher()
            while True:
                seen += session.run(batch).tolist()
    assert collections.Counter(seen) == dict.fromkeys(range(TOTAL), EPOCHS)


def test_a_worker_that_never_comes_back_is_reported_and_the_program_can_stop(
    files: List[str], cluster: Cluster, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 1.0)
    monkeypatch.setattr(waiting, "INTERVAL", 0.1)
    is_told = threading.Event()
    said: List[str] = []

    def say(self: Any, throughput: Any, words: str) -> None:
        said.append(words)
        is_told.set()

    monkeypatch.setattr(stalls.StallWatch, "_say", say)
    seen: List[int] = []
    with real.Graph().as_default() as graph:
        batch = numbers(files, cluster.address)
        with tf.Session(graph=graph) as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            seen += session.run(batch).tolist()
            cluster.workers[0].end(signal.SIGKILL)

            def rest() -> None:
                with contextlib.suppress(real.errors.OutOfRangeError):
                    while True:
                        seen.extend(session.run(batch).tolist())

            consumer = threading.Thread(target=rest)
            consumer.start()
            assert is_told.wait(60)
            assert "QC306" in said[0]
            assert consumer.is_alive()
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=20)
            consumer.join(20)
            assert not consumer.is_alive()
    counts = collections.Counter(seen)
    assert max(counts.values()) <= EPOCHS
    # The other worker had the rest of the files: what may be missing is what the dead one had open and in its buffer.
    assert len(seen) >= EPOCHS * TOTAL - 400
