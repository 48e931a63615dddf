"""Which items an epoch has, and in which order: weights, samplers, shards, epochs."""

from __future__ import annotations

import collections
import json
from typing import Any, Dict, Iterator, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatError, QueueCompatTypeError, QueueCompatValueError
from queuecompat.loader import balanced_weights
from tests.loader import loads
from tests.loader.sources import Countable, lists, tuple_of

WEIGHTS = [0, 1, 2, 5, 0, 2, 4, 6, 1, 3]


def backwards(epoch: int, rng: np.random.Generator) -> List[int]:
    """A sampler: some items twice, in an order of the epoch and the random numbers."""
    return [*range(9, -1, -1), epoch, int(rng.integers(10))]


class Rotated:
    """A sampler as one writes them for PyTorch."""

    epoch = 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __iter__(self) -> Iterator[int]:
        return iter([(index + self.epoch) % 10 for index in range(10)])

    def __len__(self) -> int:
        return 10


ORDERS: Dict[str, Dict[str, Any]] = {
    "weights": {"weights": WEIGHTS},
    "many draws": {"weights": WEIGHTS, "draws": 25},
    "without replacement": {"weights": WEIGHTS, "replacement": False},
    "function": {"sampler": backwards},
    "sampler": {"sampler": Rotated()},
    "shard": {"shard": (1, 3), "shuffle": True},
    "shard of weights": {"weights": WEIGHTS, "shard": (2, 3), "draws": 20},
    "shard of a sampler": {"sampler": backwards, "shard": (0, 2)},
}


def make(source: Any = range(10), load: Any = loads.random_numbers, **kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(source, load, **{"batch_size": 3, "seed": 7, "num_epochs": 2, "num_workers": 2, **kinds})


def items(**kinds: Any) -> List[int]:
    """The items of a pass, in order."""
    return [item for batch in make(load=loads.same, **kinds) for item in batch.tolist()]


@pytest.mark.parametrize("name", ORDERS)
def test_every_state_goes_on_with_what_would_have_come_in_any_order(name: str) -> None:
    loader = make(**ORDERS[name])
    states, batches = [loader.state_dict()], []
    for batch in loader:
        batches.append(tuple_of(batch))
        states.append(loader.state_dict())
    next_pass = lists(loader)
    assert next_pass != batches
    for taken, state in enumerate(states):
        again = make(**ORDERS[name], num_workers=1)
        again.load_state_dict(json.loads(json.dumps(state)))
        assert lists(again) == batches[taken:]
        assert lists(again) == next_pass


def test_processes_load_the_same_in_the_same_order() -> None:
    for name in ("many draws", "shard of a sampler"):
        assert lists(make(**ORDERS[name], workers="processes", num_workers=1)) == lists(make(**ORDERS[name])), name


@pytest.mark.parametrize("replacement", [True, False])
def test_items_are_drawn_as_often_as_their_weights_say(replacement: bool) -> None:
    """Without replacement: how often each comes first, over many epochs."""
    if replacement:
        drawn = items(weights=WEIGHTS, draws=12_000, num_epochs=1)
    else:
        drawn = items(weights=WEIGHTS, replacement=False, draws=1, num_epochs=6000)
    counts = collections.Counter(drawn)
    assert counts[0] == counts[4] == 0
    for index, weight in enumerate(WEIGHTS):
        assert counts[index] / len(drawn) == pytest.approx(weight / sum(WEIGHTS), abs=0.02)


def test_without_replacement_an_epoch_has_each_item_once() -> None:
    first, second = np.split(np.array(items(weights=WEIGHTS, replacement=False)), 2)
    assert sorted(first) == sorted(second) == [1, 2, 3, 5, 6, 7, 8, 9]
    assert first.tolist() != second.tolist()


def test_an_item_that_is_drawn_twice_has_other_random_numbers_each_time() -> None:
    """By its index alone, all copies of an image would be cropped at the same place."""
    rows = np.concatenate(list(make(source=[5], weights=[1], draws=6, num_epochs=1)))
    assert len(np.unique(rows, axis=0)) == 6


def test_balanced_weights_draw_all_classes_equally_often() -> None:
    labels = ["cat"] * 8 + ["dog"] + ["emu"]
    weights = balanced_weights(labels)
    assert weights.sum() == pytest.approx(3)
    counts = collections.Counter(labels[item] for item in items(weights=weights, draws=6000, num_epochs=1))
    for count in counts.values():
        assert count == pytest.approx(2000, abs=150)
    with pytest.raises(QueueCompatValueError, match=r"QC601 .* shape \(2, 1\) for labels"):
        balanced_weights([[1], [2]])


def test_a_function_as_sampler_gets_the_epoch_and_its_random_numbers() -> None:
    first, second = np.split(np.array(items(sampler=backwards)), 2)
    assert first[:11].tolist() == [*range(9, -1, -1), 0]
    assert second[:11].tolist() == [*range(9, -1, -1), 1]
    assert items(sampler=backwards) == [*first, *second]
    assert items(sampler=backwards, seed=8)[:11] == first[:11].tolist()


def test_a_sampler_gets_the_epoch_and_is_iterated_again() -> None:
    assert items(sampler=Rotated()) == [*range(10), *range(1, 10), 0]
    assert items(sampler=[3, np.int64(1), 3]) == [3, 1, 3, 3, 1, 3]


@pytest.mark.parametrize("bad", [10, -1, "1", 1.0, True, None])
def test_an_index_out_of_range_is_an_error_after_the_batches_before_it(bad: Any) -> None:
    batches = iter(make(load=loads.same, sampler=[1, 2, 3, bad]))
    assert next(batches).tolist() == [1, 2, 3]
    with pytest.raises(QueueCompatError, match=r"QC636 the sampler returned .* not an index from 0 to 9"):
        next(batches)


def test_an_index_out_of_range_is_reported_with_the_line_of_the_loader() -> None:
    """It was a line of Python's ``threading``, as a worker had asked for the index."""
    with pytest.raises(QueueCompatError, match=r"QC636 .*\n  made at:  \S*test_order\.py:\d+\n"):
        list(make(load=loads.same, sampler=[1, 20]))


def test_a_failing_sampler_is_reported_as_a_failure_of_the_sampler() -> None:
    def failing(epoch: int, rng: Any) -> Iterator[int]:
        yield 1
        raise OSError("no index file")

    with pytest.raises(LoadError, match=r"QC606 the sampler failed .*OSError: no index file"):
        lists(make(sampler=failing))


@pytest.mark.parametrize("source", [range(10), Countable(10)], ids=["sequence", "iterable"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_shards_are_disjoint_and_together_the_epoch_in_its_order(source: Any, shuffle: bool) -> None:
    kinds: Any = dict(source=source, shuffle=shuffle, num_epochs=1, batch_size=1, capacity=6)
    whole = lists(make(**kinds))
    shards = [lists(make(**kinds, shard=(index, 3))) for index in range(3)]
    assert [len(shard) for shard in shards] == [4, 3, 3]
    # The random numbers of an item are the same in whichever shard.
    assert [shards[place % 3][place // 3] for place in range(10)] == whole


def test_shards_of_weights_share_out_one_series_of_draws() -> None:
    kinds: Any = dict(weights=WEIGHTS, draws=11, num_epochs=1, batch_size=1)
    whole = lists(make(**kinds))
    shards = [lists(make(**kinds, shard=(index, 2))) for index in range(2)]
    assert [shards[place % 2][place // 2] for place in range(11)] == whole


@pytest.mark.parametrize(
    ("kinds", "length"),
    [
        ({"weights": WEIGHTS}, 7),
        ({"weights": WEIGHTS, "replacement": False}, 6),
        ({"weights": WEIGHTS, "draws": 25}, 17),
        ({"shard": (0, 3)}, 3),
        ({"shard": (2, 3)}, 2),
        ({"sampler": Rotated()}, 7),
        ({"sampler": [1, 2, 3, 4], "drop_remainder": True}, 2),
    ],
)
def test_the_length_is_that_of_the_order(kinds: Any, length: int) -> None:
    loader = make(**kinds)
    assert len(loader) == length == len(list(loader))


def test_a_sampler_without_a_length_leaves_the_loader_without_one() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC619 .*the sampler has no length"):
        len(make(sampler=backwards))


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"sampler": [1], "shuffle": True}, r"(?s)True for shuffle.*shuffle=False with sampler="),
        ({"sampler": [1], "weights": WEIGHTS}, "for weights"),
        ({"sampler": [1], "source": Countable(3)}, r"(?s)for sampler.*cannot be fetched by index"),
        ({"weights": [1, 2, 3], "source": Countable(3)}, r"(?s)for weights.*cannot be fetched by index"),
        ({"sampler": iter([1])}, "QC604 num_epochs=2 .*for a sampler"),
        ({"weights": [1, 2]}, r"(?s)int64\[2\] for weights.*10 numbers"),
        ({"weights": ["a"] * 10}, "for weights"),
        ({"weights": [-1] + [1] * 9}, r"an array with -1.0 for weights"),
        ({"weights": [float("nan")] + [1] * 9}, r"an array with nan for weights"),
        ({"weights": [0] * 10}, r"an array with the sum 0.0 for weights"),
        ({"weights": WEIGHTS, "replacement": False, "draws": 9}, r"(?s)9 for draws.*8 at most"),
        ({"replacement": False}, r"(?s)False for replacement.*weights="),
        ({"draws": 3}, r"(?s)3 for draws.*weights="),
        ({"weights": WEIGHTS, "draws": 0}, "0 for draws"),
        ({"shard": (3, 3)}, r"(?s)\(3, 3\) for shard.*\(index, count\)"),
        ({"shard": 2}, "2 for shard"),
        ({"shard": (0, 1, 2)}, "for shard"),
    ],
)
def test_arguments_of_order_that_make_no_sense_are_refused(bad: Any, says: str) -> None:
    with pytest.raises(QueueCompatValueError, match=says):
        make(**bad)
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .*5 for sampler"):
        make(sampler=5)


@pytest.mark.parametrize("name", ["weights", "function", "shard"])
def test_a_state_of_a_different_order_is_refused(name: str) -> None:
    shuffle = name != "function"
    plain, other = make(shuffle=shuffle), make(**{"shuffle": shuffle, **ORDERS[name]})
    with pytest.raises(QueueCompatValueError, match=r"QC617 .* but this loader has none"):
        plain.load_state_dict(other.state_dict())
    with pytest.raises(QueueCompatValueError, match=r"QC617 .* has no "):
        other.load_state_dict(plain.state_dict())


def test_a_state_of_other_weights_is_refused() -> None:
    with pytest.raises(QueueCompatValueError, match=r"QC617 .* has weights="):
        make(weights=WEIGHTS).load_state_dict(make(weights=WEIGHTS[::-1]).state_dict())


def test_the_epoch_is_that_of_the_last_batch() -> None:
    loader = make(num_epochs=1, shuffle=True)
    seen = [loader.epoch]
    for _ in range(2):
        for _ in loader:
            seen.append(loader.epoch)
    assert seen == [0, *[0] * 4, *[1] * 4]
    assert loader.epoch == 2


def test_a_pass_begins_with_the_epoch_that_was_set() -> None:
    loader = make(num_epochs=1, shuffle=True)
    passes = [lists(loader) for _ in range(4)]
    loader.epoch = np.int64(2)
    assert loader.epoch == 2
    assert [lists(loader), lists(loader)] == passes[2:]
    iteration = iter(loader)
    next(iteration)
    loader.epoch = 1
    with pytest.raises(QueueCompatError, match="QC602"):
        next(iteration)
    assert lists(loader) == passes[1]


@pytest.mark.parametrize("bad", [-1, 1.5, "1", 3])
def test_an_epoch_that_no_pass_begins_with_is_refused(bad: Any) -> None:
    with pytest.raises(QueueCompatValueError, match=r"QC601 .* for epoch"):
        make(num_epochs=2).epoch = bad


@pytest.mark.parametrize("seed", [0, 5, 2**64 + 3, 2**128 - 1])
def test_random_numbers_are_philoxs_of_the_seed_the_epoch_and_the_item(seed: int) -> None:
    def drawn(item: int, rng: np.random.Generator) -> np.ndarray:
        return rng.integers(1 << 62, size=3)

    rows = np.concatenate(list(BackgroundLoader(range(4), drawn, batch_size=2, seed=seed, num_epochs=2)))
    key = np.array([seed % 2**64, seed >> 64], np.uint64)
    places = [(epoch, item) for epoch in range(2) for item in range(4)]
    counters = [np.array([0, item, epoch, 0], np.uint64) for epoch, item in places]
    streams = [np.random.Generator(np.random.Philox(key=key, counter=counter)) for counter in counters]
    assert rows.tolist() == [stream.integers(1 << 62, size=3).tolist() for stream in streams]
