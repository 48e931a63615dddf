"""What a loader is made with: bad input is refused where it is given, and the rest is shown."""

from __future__ import annotations

import functools
import subprocess
import sys
import threading
from typing import Any, Iterator

import numpy as np
import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError
from queuecompat.loader.run.epoch_run import EpochRun
from tests.loader import loads
from tests.loader.sources import LONG, Countable, lists


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"batch_size": 0}, "QC601 the loader got 0 for batch_size"),
        ({"batch_size": 2.5}, "QC601 .* 2.5 for batch_size"),
        ({"batch_size": True}, "QC601 .* True for batch_size"),
        ({"batch_size": None}, "QC601 .* None for batch_size"),
        ({"capacity": 10, "min_after_dequeue": 10}, r"(?s)QC601 .* 10 for capacity.*more than min_after_dequeue=10"),
        ({"min_after_dequeue": -1}, "QC601 .* -1 for min_after_dequeue"),
        ({"num_workers": 0}, "(?s)QC601 .* 0 for num_workers.*pass 1 for a single worker"),
        ({"num_workers": -1}, "(?s)QC601 .* -1 for num_workers.*a whole number of at least 1"),
        ({"num_epochs": 0}, "QC601 .* 0 for num_epochs"),
        (
            {"workers": 2},
            r"(?s)QC601 .* 2 for workers.*'threads' or 'processes', and how many of them as num_workers=2",
        ),
        ({"workers": "fibres"}, r"(?s)QC601 .* 'fibres' for workers.*'threads' or 'processes'"),
        ({"on_error": "ignore"}, r"(?s)QC601 .* 'ignore' for on_error.*'raise' or 'skip'"),
        ({"max_errors": 3}, r"(?s)QC601 .* 3 for max_errors.*on_error='skip'"),
        ({"seed": -1}, "QC601 .* -1 for seed"),
        ({"seed": 1 << 128}, "QC601 .* for seed"),
        ({"batch_size": np.True_}, "QC601 .*True.* for batch_size"),
        ({"timeout": 0}, "QC601 .* 0 for timeout"),
        ({"timeout": "1"}, "QC601 .* '1' for timeout"),
        ({"timeout": float("nan")}, "QC601 .* nan for timeout"),
        ({"shuffle": "False"}, "(?s)QC601 .* 'False' for shuffle.*pass True or False"),
        ({"drop_remainder": "no"}, "QC601 .* 'no' for drop_remainder"),
        ({"copy": "no"}, "QC601 .* 'no' for copy"),
        ({"progress": "no"}, "QC601 .* 'no' for progress"),
        ({"replacement": "no", "weights": [1] * 10}, "QC601 .* 'no' for replacement"),
        ({"pin_memory": "no"}, "(?s)QC601 .* 'no' for pin_memory.*True or False"),
        ({"source": iter([1]), "num_epochs": 2}, "QC604 num_epochs=2 .* a list_iterator"),
        ({"source": iter([1]), "num_epochs": None}, "QC604 num_epochs=None"),
    ],
)
def test_an_argument_out_of_range_is_refused(bad: Any, says: str) -> None:
    with pytest.raises(QueueCompatValueError, match=says) as caught:
        BackgroundLoader(**{"source": range(10), "batch_size": 4, **bad})
    assert "test_arguments.py" in str(caught.value)


@pytest.mark.parametrize("source", [{1, 2}, frozenset("ab")])
def test_a_set_is_refused_because_its_order_changes_from_run_to_run(source: Any) -> None:
    with pytest.raises(
        QueueCompatTypeError, match=r"(?s)QC601 .* whose order changes from run to run.*sorted\(source\)"
    ):
        BackgroundLoader(source, batch_size=1)
    assert lists(BackgroundLoader({"a": 1}.keys(), batch_size=1)) == [["a"]]


class WithoutLength:
    def __getitem__(self, index: int) -> int:
        return index


@pytest.mark.parametrize("source", ["a path", b"bytes", {"a": 1}, 5, None, np.array(5), lists, WithoutLength()])
def test_a_source_without_ordered_items_is_refused(source: Any) -> None:
    """Of an array of no dimension, NumPy's own error was all that came, when the loader was iterated."""
    with pytest.raises(
        QueueCompatTypeError, match=r"(?s)QC601 .* for source.*__len__.*rows\(\) for a generator function"
    ) as caught:
        BackgroundLoader(source, batch_size=4)
    assert ("got an " if isinstance(source, (int, np.ndarray)) else "got a ") in str(caught.value)


def test_what_is_indexed_by_labels_is_refused() -> None:
    """Of a pandas Series of which rows were taken, ``series[0]`` was a KeyError, or an item that is not the first."""

    class Series(list):  # type: ignore[type-arg]
        iloc = None

    with pytest.raises(QueueCompatTypeError, match=r"(?s)QC601 .* a Series, whose items are found by labels.*to_numpy"):
        BackgroundLoader(Series([1, 2]), batch_size=1)


def test_a_load_that_is_not_a_function_is_refused() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC601 .* for load"):
        BackgroundLoader([1], "decode", batch_size=4)  # type: ignore[arg-type]


def test_an_iterator_has_one_epoch() -> None:
    loader = BackgroundLoader(iter(range(6)), batch_size=4)
    assert lists(loader) == [[0, 1, 2, 3], [4, 5]]
    with pytest.raises(QueueCompatValueError, match=r"QC604 another iteration .* a range_iterator"):
        iter(loader)


def test_a_failing_source_is_reported_after_the_items_before_the_failure() -> None:
    def numbers() -> Any:
        yield from range(5)
        raise OSError("the disk is gone")

    batches = iter(BackgroundLoader(numbers(), batch_size=2, on_error="skip"))
    assert [next(batches).tolist(), next(batches).tolist()] == [[0, 1], [2, 3]]
    with pytest.raises(LoadError, match=r"QC606 .* OSError: the disk is gone") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, OSError)


def test_a_source_that_has_failed_is_not_asked_for_its_next_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    rests = threading.Event()
    wait = EpochRun._wait_as_worker

    class Fails:
        begun = 0
        has_failed = False

        def __iter__(self) -> Iterator[int]:
            self.begun += 1
            yield from (0, 1)
            self.has_failed = True
            raise OSError("the disk is gone")

    source = Fails()

    def told(run: EpochRun) -> None:
        if source.has_failed:
            rests.set()  # the other worker has found nothing more to do
        wait(run)

    def load(item: int) -> int:
        assert item == 0 or rests.wait(LONG)  # the failure stands after an item that is not there yet
        return item

    monkeypatch.setattr(EpochRun, "_wait_as_worker", told)
    with pytest.raises(RuntimeError, match="the disk is gone"):
        list(BackgroundLoader(source, load, batch_size=1, num_epochs=None, num_workers=2, capacity=8))
    assert source.begun == 1


def test_an_item_that_cannot_be_fetched_is_one_that_fails() -> None:
    class Holed:
        def __len__(self) -> int:
            return 6

        def __getitem__(self, index: int) -> int:
            if index == 2:
                raise KeyError("hole")
            return index

    assert lists(BackgroundLoader(Holed(), batch_size=3, on_error="skip")) == [[0, 1, 3], [4, 5]]
    with pytest.raises(LoadError, match="QC605 load failed on item 2 in epoch 0: KeyError: 'hole'"):
        lists(BackgroundLoader(Holed(), batch_size=3))


@pytest.mark.parametrize(
    ("load", "says"),
    [
        (
            loads.another_shape_at_five,
            r"QC607 item 5 \(5\) returned float64\[3,3\], but .*, item 0 \(0\), returned float64\[2,3\]",
        ),
        (loads.several_at_five, r"QC608 item 5 \(5\) returned several examples"),
        (lambda item: item if item < 5 else float(item), r"QC607 item 5 \(5\) returned float64\[\], but .*, item 0"),
        (lambda item: {"a": 1} if item < 5 else {"b": 1}, r"QC607 item 5 \(5\) returned \{'b': int64\[\]\}, but"),
        (lambda item: iter([item]) if item < 5 else item, r"QC608 item 5 \(5\) returned one example"),
        (loads.leaves_at_seven, "QC605 .* item 7 .*SystemExit: enough"),
    ],
)
def test_examples_that_do_not_fit_together_are_both_named(load: Any, says: str) -> None:
    with pytest.raises(LoadError, match=says):
        lists(BackgroundLoader(range(12), load, batch_size=4, num_workers=3))


def test_an_example_that_does_not_fit_is_no_item_to_skip() -> None:
    with pytest.raises(LoadError, match="QC607"):
        lists(BackgroundLoader(range(12), loads.another_shape_at_five, batch_size=4, on_error="skip"))


class _Returns:
    def __call__(self, item: int) -> None:
        return None


def _yields_none(item: int) -> Any:
    yield None


def _returns_nothing(item: int) -> None:
    item += 1


@pytest.mark.parametrize("load", [_returns_nothing, functools.partial(_returns_nothing), _Returns(), _yields_none])
@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_load_that_returns_none_is_reported_with_its_line(load: Any, workers: str) -> None:
    function = load if hasattr(load, "__code__") else getattr(load, "func", _Returns.__call__)
    line = f"test_arguments.py:{function.__code__.co_firstlineno}"
    says = rf"QC635 load \(.*{line}\) returned None for item 0 \(0\) in epoch 0"
    with pytest.raises(LoadError, match=says):
        lists(BackgroundLoader(range(4), load, batch_size=2, on_error="skip", workers=workers, num_workers=1))


def test_none_may_be_an_item_and_a_part_of_an_example() -> None:
    assert lists(BackgroundLoader([None, None], batch_size=2)) == [[None, None]]
    ((numbers, nothing),) = BackgroundLoader(range(2), lambda item: (item, None), batch_size=2)
    assert (numbers.tolist(), nothing.tolist()) == ([0, 1], [None, None])


def test_more_different_failing_items_than_max_errors_are_an_error() -> None:
    # Three fail; in a second epoch they are the same three.
    kinds: Any = dict(batch_size=4, num_epochs=2, on_error="skip")
    assert len(lists(BackgroundLoader(range(12), loads.skips_some, max_errors=3, **kinds))) == 5
    loader = BackgroundLoader(range(12), loads.skips_some, max_errors=2, num_workers=1, **kinds)
    with pytest.raises(
        LoadError, match=r"QC609 3 different items failed, which is more than max_errors=2; .* item 9 \(9\): Val"
    ):
        lists(loader)
    assert [one.item for one in loader.skipped] == [2, 3, 9]


@pytest.mark.parametrize(
    ("kinds", "length"),
    [
        ({}, 3),
        ({"drop_remainder": True}, 2),
        ({"num_epochs": 3}, 8),
        ({"batch_size": 100}, 1),
        ({"source": [1]}, 1),
    ],
)
def test_the_length_is_that_of_a_pass(kinds: Any, length: int) -> None:
    loader = BackgroundLoader(**{"source": range(10), "batch_size": 4, **kinds})
    assert len(loader) == length == len(lists(loader))


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ({"source": Countable(10)}, "the source has no length"),
        ({"num_epochs": None}, "no end"),
        ({"load": loads.some}, "any number of examples"),
        ({"load": functools.partial(loads.some)}, "any number of examples"),
        ({"load": lambda item: iter([item, item]), "examples_per_item": 2}, "any number of examples"),
    ],
)
def test_a_length_that_is_not_known_is_an_error_and_no_hindrance_for_list(kinds: Any, says: str) -> None:
    loader = BackgroundLoader(**{"source": range(10), "batch_size": 4, **kinds})
    with pytest.raises(TypeError, match=f"QC619 the length .*{says}"):
        len(loader)
    if kinds.get("num_epochs", 1):
        assert list(loader)


def test_a_drawn_seed_is_shown_and_repeats_the_run() -> None:
    loader = BackgroundLoader(range(50), loads.random_numbers, batch_size=4, shuffle=True)
    seed = int(repr(loader).partition("seed=")[2].rstrip(")"))
    again = BackgroundLoader(range(50), loads.random_numbers, batch_size=4, shuffle=True, seed=seed)
    assert lists(loader) == lists(again)
    assert "50 items, load=random_numbers, batch_size=4, capacity=12" in repr(loader)


def test_an_items_random_numbers_are_its_own_in_each_epoch() -> None:
    first, second = BackgroundLoader(range(40), loads.random_numbers, batch_size=40, num_epochs=2, seed=1)
    assert len({tuple(row) for row in [*first.tolist(), *second.tolist()]}) == 80
    (shuffled,) = BackgroundLoader([7] * 40, loads.random_numbers, batch_size=40, shuffle=True, seed=1)
    # By the index of the item, not by its place in the order.
    assert sorted(map(tuple, shuffled.tolist())) == sorted(map(tuple, first.tolist()))


@pytest.mark.parametrize(
    "load",
    [
        lambda item, rng: rng.integers(9),
        lambda item, generator: generator.integers(9),
        lambda item, size=1, *, rng: rng.integers(9),
        lambda item, rng=None: rng.integers(9),
    ],
)
def test_load_gets_random_numbers_only_if_it_has_a_parameter_for_them(load: Any) -> None:
    assert len(lists(BackgroundLoader(range(4), load, batch_size=4))) == 1


def test_functions_in_c_get_the_item_alone() -> None:
    assert lists(BackgroundLoader(["1", "22"], int, batch_size=2)) == [[1, 22]]
    assert lists(BackgroundLoader([-1.0, 2.0], np.abs, batch_size=2)) == [[1.0, 2.0]]


def test_the_loader_needs_no_tensorflow() -> None:
    code = (
        "import sys, queuecompat\n"
        "print([b.tolist() for b in queuecompat.BackgroundLoader(range(3), batch_size=2)])\n"
        "sys.exit('tensorflow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[[0, 1], [2]]\n")


@pytest.mark.parametrize(
    ("cores", "workers", "wanted"), [(2, "threads", 2), (16, "threads", 8), (2, "processes", 2), (16, "processes", 16)]
)
def test_of_many_cores_threads_take_eight_and_processes_all(
    monkeypatch: pytest.MonkeyPatch, cores: int, workers: str, wanted: int
) -> None:
    """More threads than that wait for Python's lock."""
    monkeypatch.setattr("os.sched_getaffinity", lambda process: set(range(cores)))
    loader = BackgroundLoader(range(4), loads.same, batch_size=2, workers=workers)
    assert f" {wanted} {workers}" in repr(loader)
