"""An iterator that waits for something that does not come says so, once."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, List

import numpy as np
import pytest
import tensorflow as tf

import queuecompat
from queuecompat import train
from queuecompat._eager import stalls
from queuecompat._native import waiting

tf1 = tf.compat.v1


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> stalls.IteratorWatch:
    """On a clock of its own; it looks when it is told to."""
    watch = stalls.IteratorWatch(Clock())
    watch._thread = threading.current_thread()
    monkeypatch.setattr(stalls, "WATCH", watch)
    return watch


def after(watch: stalls.IteratorWatch, seconds: float) -> None:
    watch.look()
    watch._clock.now += seconds  # type: ignore[attr-defined]
    watch.look()


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.01)


def test_a_dataset_whose_function_does_not_return_says_what_it_waits_for(watch: Any, capfd: Any) -> None:
    is_called, may_go_on = threading.Event(), threading.Event()
    found: List[Any] = []

    def slow() -> np.float32:
        is_called.set()
        may_go_on.wait(30)
        return np.float32(1)

    dataset = queuecompat.as_dataset(lambda: train.batch([tf1.py_func(slow, [], tf.float32)], 1, shapes=[[]]))
    iterator = iter(dataset.take(2))
    thread = threading.Thread(target=lambda: found.append(next(iterator)))
    thread.start()
    try:
        is_called.wait(30)
        until(lambda: any(True for _ in watch.waiting()))
        after(watch, waiting.PATIENCE - 1)
        early = capfd.readouterr().err
        after(watch, 2)
        said = capfd.readouterr().err
        after(watch, 100)
        later = capfd.readouterr().err
    finally:
        may_go_on.set()
        thread.join()
    assert len(found) == 1
    assert "QC310" not in early + later
    assert "QC310 'dataset' has produced nothing for 11 s" in said
    assert "It is waiting for your " in said and "PyFunc" in said


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: train.batch([tf1.random_uniform([0])], 2, enqueue_many=True), "a row ("),
        (
            lambda: train.maybe_batch([train.range_input_producer(4).dequeue()], tf1.random_uniform([]) > 2, 2),
            "an element that is kept (",
        ),
    ],
)
def test_a_dataset_in_which_nothing_is_chosen_says_so(build: Any, words: str, watch: Any) -> None:
    """It waited without a word: elements came, and none of them stayed."""
    iterator = iter(queuecompat.as_dataset(build))
    [(watched, said)] = watch._watched.items()
    assert watched is iterator
    assert f"It is waiting for {words}" in said(11)


def test_what_only_reads_and_computes_is_not_watched(watch: Any) -> None:
    iterator = iter(queuecompat.as_dataset(lambda: train.batch([train.range_input_producer(4).dequeue()], 2)))
    next(iterator)
    assert not watch._watched


def test_the_thread_ends_with_the_last_iterator(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = stalls.IteratorWatch()
    monkeypatch.setattr(stalls, "WATCH", watch)
    monkeypatch.setattr(waiting, "INTERVAL", 0.01)
    dataset = queuecompat.as_dataset(
        lambda: train.batch([tf1.py_func(lambda: np.float32(1), [], tf.float32)], 1, shapes=[[]])
    )
    iterator = iter(dataset)
    assert watch._thread is not None
    del iterator
    until(lambda: watch._thread is None)
