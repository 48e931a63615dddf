"""``generator_input_fn``: one call into Python for a whole batch, and every epoch whole."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np
import pytest

import queuecompat
import queuecompat.v1 as tf
from queuecompat.contrib.learn.learn_io import generator_input_fn
from tests.pipelines.running import drain


def ten() -> Iterator[Any]:
    for number in range(10):
        yield {"n": np.int64(number), "word": np.str_(f"w{number}")}


def growing() -> Iterator[Any]:
    for number in range(7):
        yield {"row": np.full([2, number % 3 + 1], number), "n": np.int64(number)}


def joined(batches: Any, key: str) -> Any:
    return np.concatenate([batch[key] for batch in batches]).tolist()


@pytest.mark.parametrize("threads", [1, 3])
def test_every_example_comes_as_often_as_there_are_epochs(threads: int) -> None:
    batches = drain(generator_input_fn(ten, None, 4, 3, shuffle=False, num_threads=threads)())
    assert joined(batches, "n") == list(range(10)) * 3
    assert joined(batches, "word") == [f"w{n}".encode() for n in range(10)] * 3
    assert [len(batch["n"]) for batch in batches] == [4] * 7 + [2]


def test_examples_are_mixed_in_a_shuffle_buffer() -> None:
    given = joined(drain(generator_input_fn(ten, None, 4, 3)()), "n")
    assert sorted(given) == sorted(list(range(10)) * 3)
    assert given != list(range(10)) * 3


def test_it_is_compiled_and_asks_for_a_batch_at_a_time() -> None:
    asked = []

    def counted() -> Iterator[Any]:
        for number in range(64):
            asked.append(number)
            yield {"n": np.int64(number)}

    features = generator_input_fn(counted, None, 16, 1, shuffle=False, queue_capacity=16)()
    assert queuecompat.explain().native == []
    asked.clear()
    assert joined(drain(features, steps=1), "n") == list(range(16))
    # The batch given, those ahead of it, and one block in work.
    assert len(asked) <= 16 * 4


def test_padding_fills_the_whole_batch_with_the_value() -> None:
    (first, second) = drain(generator_input_fn(growing, None, 4, 1, shuffle=False, pad_value=-9)())
    assert first["row"].shape == (4, 2, 3) and second["row"].shape == (3, 2, 3)
    assert first["row"][1].tolist() == [[1, 1, -9], [1, 1, -9]]
    assert joined([first, second], "n") == list(range(7))


def test_an_example_without_a_key_is_named() -> None:
    def forgetful() -> Iterator[Any]:
        yield {"n": np.int64(0), "m": np.int64(0)}
        yield {"n": np.int64(1)}

    with pytest.raises(tf.errors.OpError, match="without 'm'"):
        drain(generator_input_fn(forgetful, None, 2, 1, shuffle=False)())


def test_an_epoch_without_examples_ends_it() -> None:
    calls = []

    def once() -> Iterator[Any]:
        calls.append(None)
        if len(calls) < 4:  # two looks at what it yields, one epoch
            yield {"n": np.int64(len(calls))}

    assert len(drain(generator_input_fn(once, None, 1, None, shuffle=False)())) <= 2
