"""A loader that is taken up again, in the middle of an epoch, gives exactly what would have come."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle
import subprocess
import sys
from typing import Any, Callable, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.errors import QueueCompatValueError
from tests.loader import loads
from tests.loader.sources import Countable, lists, tuple_of


def make(source: Any, load: Any, **kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(source, load, **{"batch_size": 7, "capacity": 40, "num_epochs": 2, **kinds})


@pytest.mark.parametrize("load", [loads.random_numbers, loads.some, loads.nested, loads.skips_some])
@pytest.mark.parametrize("source", [range(40), Countable(40)], ids=["sequence", "iterable"])
@pytest.mark.parametrize("shuffle", [False, True])
def test_every_state_of_a_pass_goes_on_with_what_would_have_come(load: Any, source: Any, shuffle: bool) -> None:
    kinds: Any = dict(shuffle=shuffle, on_error="skip")
    loader = make(source, load, **kinds)
    states, batches = [loader.state_dict()], []
    for batch in loader:
        batches.append(tuple_of(batch))
        states.append(loader.state_dict())
    next_pass = lists(loader)
    assert len(batches) > 5
    for taken in range(0, len(states), 3):
        text = json.dumps(states[taken])
        assert len(text) < 2000
        again = make(source, load, num_workers=3, **kinds)
        again.load_state_dict(json.loads(text))
        assert lists(again) == batches[taken:]
        assert lists(again) == next_pass


def pickled(loader: Any) -> Any:
    return pickle.loads(pickle.dumps(loader))


@pytest.mark.parametrize("copied", [copy.copy, pickled])
def test_a_copy_goes_on_from_the_same_position(copied: Callable[[BackgroundLoader], BackgroundLoader]) -> None:
    """As spawned processes get a loader: each goes on by itself, also in the middle of a pass or after a ``close``."""
    loader = make(range(40), loads.random_numbers, shuffle=True)
    with loader:
        batches = iter(loader)
        next(batches)
        one = copied(loader)
        rest = [tuple_of(batch) for batch in batches]
        other = copied(loader)
        assert lists(one) == rest
        after = lists(loader)
    assert lists(other) == lists(one) == after
    assert copied(loader).statistics().batches == 0


def test_a_loader_is_sent_to_a_process() -> None:
    loader = make(range(8), loads.same)
    lists(loader)  # remembers the process that ran it
    code = "import pickle, sys; print(sum(len(batch) for batch in pickle.load(sys.stdin.buffer)))"
    folder = pathlib.Path(__file__).parents[2]
    run = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(loader), capture_output=True, cwd=folder)
    assert run.stdout == b"16\n", run.stderr.decode()


@pytest.mark.parametrize("drop_remainder", [False, True])
def test_after_the_last_batch_nothing_is_left_of_the_pass(drop_remainder: bool) -> None:
    loader = make(range(10), loads.same, drop_remainder=drop_remainder)
    batches = iter(loader)
    count = len(loader)
    for _ in range(count):
        next(batches)
    again = make(range(10), loads.same, drop_remainder=drop_remainder)
    again.load_state_dict(loader.state_dict())
    batches.close()
    assert lists(again) == []
    assert len(lists(again)) == count


def test_a_loop_that_was_left_leaves_the_state_of_its_last_batch() -> None:
    loader = make(range(40), loads.same)
    for number, _ in enumerate(loader):
        if number == 2:
            break
    again = make(range(40), loads.same)
    again.load_state_dict(loader.state_dict())
    assert lists(again)[0] == list(range(21, 28))
    # The loader itself goes on with the next pass.
    assert lists(loader)[0] == list(range(7))


def test_endless_passes_are_taken_up_in_their_later_epochs() -> None:
    def first(loader: BackgroundLoader, count: int) -> List[Any]:
        return [tuple_of(batch) for _, batch in zip(range(count), loader)]

    kinds: Any = dict(num_epochs=None, shuffle=True, seed=5)
    whole = first(make(range(10), loads.random_numbers, **kinds), 30)
    loader = make(range(10), loads.random_numbers, **kinds)
    first(loader, 11)
    again = make(range(10), loads.random_numbers, **kinds)
    again.load_state_dict(loader.state_dict())
    assert first(again, 19) == whole[11:]


def test_the_seed_is_taken_over_by_workers_of_both_kinds() -> None:
    loader = make(range(20), loads.random_numbers, seed=123)
    expected = lists(loader)
    for workers in ("threads", "processes"):
        again = make(range(20), loads.random_numbers, workers=workers, num_workers=1, seed=4)
        again.load_state_dict(make(range(20), loads.random_numbers, seed=123).state_dict())
        assert "seed=123" in repr(again)
        assert lists(again) == expected


def test_a_state_beyond_the_end_of_an_iterable_is_an_error_when_the_end_comes() -> None:
    """The loop used to end without a word."""
    loader = make(Countable(40), loads.same)
    loader.load_state_dict({**loader.state_dict(), "offset": 41})
    with pytest.raises(QueueCompatValueError, match=r"QC617 .* begins at item 41 of an epoch, but this source has 40"):
        lists(loader)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"batch_size": 8}, "has batch_size=8, but this loader has 7"),
        ({"items": 41}, "has items=41, but this loader has 40"),
        ({"version": 99}, "has version=99, but this loader has 1"),
        ({"offset": 41}, "begins at item 41 of an epoch, but this source has 40"),
        ({"offset": -1}, "has offset=-1"),
        ({"offset": "3"}, "has offset='3'"),
        ({"epoch": 2}, "has epoch=2 in pass 0"),
        ({"pass": 1}, "has epoch=0 in pass 1"),
        ({"epoch": ...}, "has no 'epoch'"),
        ({"offset": True}, "has offset=True"),
        ({"offset": 3.0}, r"has offset=3\.0"),
        ({"epoch": None}, "has epoch=None"),
        ({"seed": 1 << 128}, "has seed=3402"),
        ({"seed": -1}, "has seed=-1"),
        ({"serial": 10**6}, "has drawn=0 with serial=1000000"),
        ({"drawn": 10**6}, "has drawn=1000000 with serial=0"),
        ({"serial": 1 << 63, "drawn": 1 << 63}, "has serial=9223"),
        ({"skip": 1 << 63}, "has skip=9223"),
        ({"shuffle": 0}, "has shuffle=0, but this loader has False"),
        ({"num_epochs": [2]}, r"has num_epochs=\[2\], but this loader has 2"),
        ({"batch_size": np.arange(2)}, r"has batch_size=array\(\[0, 1\]\), but this loader has 7"),
        ({"version": "x" * 1000}, r"has version='x{76}\.\.\., but this loader has 1"),
        ({"left": [1]}, r"has left=\[1\]"),
        ({"left": 1}, "has left=1"),
        ({"steps": 3}, "has 'steps', which no loader has"),
    ],
)
def test_a_state_of_another_loader_is_refused(change: Any, says: str) -> None:
    loader = make(range(40), loads.same)
    state = {name: value for name, value in {**loader.state_dict(), **change}.items() if value is not ...}
    with pytest.raises(QueueCompatValueError, match=f"QC617 .*{says}"):
        loader.load_state_dict(state)
    # And the loader begins where it would have begun.
    assert lists(loader)[0] == list(range(7))


def test_a_state_that_skips_more_than_an_item_has_is_reported_with_the_line_of_the_loader() -> None:
    """It was a line of Python's ``threading``."""
    loader = make(range(40), loads.same)
    loader.load_state_dict({**loader.state_dict(), "skip": 2})
    with pytest.raises(QueueCompatValueError, match=r"QC617 .* has skip=2.*\n  made at:  \S*test\w*\.py:\d+\n"):
        lists(loader)


@pytest.mark.parametrize("state", [None, 3, [], "state", [("epoch", 0)]])
def test_a_state_that_is_not_a_dictionary_is_refused(state: Any) -> None:
    with pytest.raises(QueueCompatValueError, match=r"QC617 .*is of type .*, and not a dictionary"):
        make(range(40), loads.same).load_state_dict(state)


@pytest.mark.parametrize(("load", "skip"), [(loads.same, 1), (loads.some, 100)], ids=["one each", "several"])
@pytest.mark.parametrize("is_known", [False, True], ids=["first pass", "later pass"])
def test_a_state_that_skips_more_than_its_first_item_has_is_an_error(load: Any, skip: int, is_known: bool) -> None:
    """The loader waited forever, or left out examples of the items after that."""
    loader = make(range(40), load, timeout=10)
    if is_known:
        next(iter(loader))
    loader.load_state_dict({**make(range(40), load).state_dict(), "skip": skip})
    with pytest.raises(
        QueueCompatValueError, match=f"QC617 .*has skip={skip}, but its first item does not have that many"
    ):
        lists(loader)


def test_a_state_with_numbers_of_numpy_is_taken() -> None:
    loader = make(range(40), loads.random_numbers, seed=5)
    batches = iter(loader)
    next(batches)
    state = {name: np.int64(value) if type(value) is int else value for name, value in loader.state_dict().items()}
    rest = [tuple_of(batch) for batch in batches]
    again = make(range(40), loads.random_numbers, seed=6)
    again.load_state_dict(state)
    assert lists(again) == rest
