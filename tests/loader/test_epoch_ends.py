"""A function that is called at the end of each epoch."""

from __future__ import annotations

import threading
from typing import Any, List

import pytest

from queuecompat import BackgroundLoader
from queuecompat.errors import QueueCompatError, QueueCompatTypeError
from tests.loader import loads
from tests.loader.sources import Countable, lists, workers_of_loaders


def make(source: Any = range(10), **kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(source, loads.same, **{"batch_size": 4, "num_epochs": 3, "seed": 1, **kinds})


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("source", [range(10), Countable(10)], ids=["sequence", "iterable"])
def test_an_epoch_ends_after_the_batch_with_its_last_example(source: Any, workers: str) -> None:
    seen: List[Any] = []
    with make(source, on_epoch_end=lambda epoch: seen.append(f"end {epoch}"), workers=workers, num_workers=1) as loader:
        for batch in loader:
            seen.append(batch.tolist())
    assert seen == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 0, 1],
        "end 0",
        [2, 3, 4, 5],
        [6, 7, 8, 9],
        "end 1",
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9],
        "end 2",
    ]


def test_every_pass_has_its_own_epochs_and_endless_ones_go_on() -> None:
    ended: List[int] = []
    loader = make(num_epochs=1, on_epoch_end=ended.append)
    lists(loader), lists(loader)
    assert ended == [0, 1]
    endless: List[int] = []
    for number, _ in enumerate(make(num_epochs=None, on_epoch_end=endless.append)):
        if number == 10:  # 44 examples
            break
    assert endless == [0, 1, 2, 3]


def test_a_state_from_the_function_resumes_with_the_next_epoch() -> None:
    states = []
    loader = make(batch_size=5, shuffle=True, on_epoch_end=lambda epoch: states.append(loader.state_dict()))
    batches = lists(loader)
    for epoch, state in enumerate(states):
        ended: List[int] = []
        again = make(batch_size=5, shuffle=True, on_epoch_end=ended.append)
        again.load_state_dict(state)
        rest = lists(again)
        assert rest == (batches[2 * epoch + 2 :] if epoch < 2 else [])
        # The state was taken before the function returned: that epoch is told once more.
        assert ended == list(range(epoch, 3))


def test_the_function_is_called_in_the_thread_of_the_loop() -> None:
    threads: List[Any] = []
    lists(make(on_epoch_end=lambda epoch: threads.append(threading.current_thread())))
    assert threads == [threading.current_thread()] * 3


def test_what_the_function_raises_ends_the_loop() -> None:
    def fails(epoch: int) -> None:
        raise KeyError(epoch)

    batches = iter(make(on_epoch_end=fails))
    assert [next(batches) is not None for _ in range(3)] == [True] * 3
    with pytest.raises(KeyError):
        next(batches)
    assert workers_of_loaders() == []
    with pytest.raises(QueueCompatError, match="QC602"):
        next(batches)


def test_what_is_not_a_function_is_refused() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .*'save' for on_epoch_end"):
        make(on_epoch_end="save")
