"""Examples of one item that are kept apart by a rule."""

from __future__ import annotations

import json
from typing import Any, Iterator, List

import pytest

from queuecompat import BackgroundLoader
from queuecompat.errors import QueueCompatValueError
from queuecompat.loader.order.delay_line import DelayLine
from tests.loader import loads
from tests.loader.sources import Countable, lists


def crops(item: int) -> Iterator[int]:
    for number in range(4):
        yield 10 * item + number


def make(source: Any = range(23), load: Any = crops, **kinds: Any) -> BackgroundLoader:
    options = {"batch_size": 6, "seed": 7, "num_workers": 2, "examples_per_item": 4, "shuffle": True}
    return BackgroundLoader(source, load, **{**options, **kinds})


def flat(batches: List[List[int]]) -> List[int]:
    return [example for batch in batches for example in batch]


@pytest.mark.parametrize("each", [1, 2, 3, 5])
@pytest.mark.parametrize("items", [1, 2, 7])
@pytest.mark.parametrize("count", [0, 1, 4, 7, 30])
def test_all_elements_come_out_once_and_those_of_an_item_far_apart(each: int, items: int, count: int) -> None:
    line: DelayLine[int] = DelayLine(each, items)
    out, most = [], 0
    for number in range(each * count):
        out += line.push(number)
        most = max(most, len(line))
    out += line.drain()
    assert sorted(out) == list(range(each * count))
    assert most <= DelayLine.depth(each, items) + each
    assert line.drawn == line.serial == each * count
    if count >= items:
        for item in range(count):
            places = [out.index(item * each + number) for number in range(each)]
            assert all(two - one >= items for one, two in zip(places, places[1:]))


@pytest.mark.parametrize("count", [0, 1, 3, 12, 13, 14])
def test_a_line_is_rebuilt_from_its_oldest_element(count: int) -> None:
    """After any number of elements, also where an item ended early."""
    whole: DelayLine[int] = DelayLine(3, 2)
    out = [element for number in range(count) for element in whole.push(number)]
    oldest = whole.oldest()
    first = oldest[0] if oldest else whole.serial
    again: DelayLine[int] = DelayLine(3, 2, serial=first, drawn=len(out))
    assert [element for number in range(first, count) for element in again.push(number)] == []
    rest = [element for number in range(count, 20) for element in whole.push(number)] + list(whole.drain())
    assert [element for number in range(count, 20) for element in again.push(number)] + list(again.drain()) == rest
    assert sorted(out + rest) == list(range(20))


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("source", [range(23), Countable(23)], ids=["sequence", "iterable"])
def test_no_batch_has_two_examples_of_one_item(source: Any, shuffle: bool) -> None:
    batches = lists(make(source, shuffle=shuffle))
    assert sorted(flat(batches)) == sorted(flat([list(crops(item)) for item in range(23)]))
    for batch in batches:
        assert len({example // 10 for example in batch}) == len(batch)


def test_every_state_goes_on_with_what_would_have_come() -> None:
    for load in (crops, loads.some):  # the second has any number of examples, and is mixed all the same
        loader = make(load=load, num_epochs=2)
        states, batches = [loader.state_dict()], []
        for batch in loader:
            batches.append(batch.tolist())
            states.append(loader.state_dict())
        for taken, state in enumerate(states):
            again = make(load=load, num_epochs=2, num_workers=1)
            again.load_state_dict(json.loads(json.dumps(state)))
            assert lists(again) == batches[taken:]


def test_processes_make_the_same_batches() -> None:
    expected = lists(make(load=loads.some))
    assert lists(make(load=loads.some, workers="processes", num_workers=1)) == expected


def test_a_failed_item_is_left_out() -> None:
    def load(item: int) -> Iterator[int]:
        if item == 5:
            raise ValueError
        return crops(item)

    batches = lists(make(load=load, on_error="skip"))
    assert len(flat(batches)) == 4 * 22
    assert all(len({example // 10 for example in batch}) == len(batch) for batch in batches)


def test_items_of_one_example_are_not_delayed() -> None:
    assert lists(make(range(8), loads.same, shuffle=False)) == [[0, 1, 2, 3, 4, 5], [6, 7]]


def test_what_contradicts_the_rule_is_refused() -> None:
    with pytest.raises(QueueCompatValueError, match=r"(?s)QC601 .*4 for examples_per_item.*bucket_by"):
        make(bucket_by=len, bucket_boundaries=[1])
    with pytest.raises(QueueCompatValueError, match=r"QC601 .*0 for examples_per_item"):
        make(examples_per_item=0)
    with pytest.raises(QueueCompatValueError, match=r"QC617 .*examples_per_item=4, but this loader has 5"):
        make(examples_per_item=5).load_state_dict(make().state_dict())
