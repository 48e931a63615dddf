"""``queuecompat.options``: what a program chooses beyond TensorFlow 1's behaviour, and where that holds."""

from __future__ import annotations

import threading
from typing import Any, Dict, Iterator, List

import numpy as np
import pytest

import queuecompat
from queuecompat._plan import options
from queuecompat.errors import QueueCompatError


@pytest.fixture
def process() -> Iterator[None]:
    before = dict(options._of_process)
    yield
    options._of_process.clear()
    options._of_process.update(before)


def test_a_block_chooses_for_itself_and_takes_the_rest_from_the_one_around_it() -> None:
    with queuecompat.options(on_error="skip"):
        with queuecompat.options(max_errors=3):
            assert options.current() == options.Options(on_error="skip", max_errors=3)
        assert options.current() == options.Options(on_error="skip")
    assert options.current() == options.DEFAULTS


def test_a_block_ends_with_an_exception_too() -> None:
    with pytest.raises(KeyError), queuecompat.options(on_error="skip"):
        raise KeyError
    assert options.current() == options.DEFAULTS


def test_a_choice_of_one_thread_is_none_of_another() -> None:
    seen: List[Any] = []
    with queuecompat.options(on_error="skip"):
        thread = threading.Thread(target=lambda: seen.append(options.current()))
        thread.start()
        thread.join()
    assert seen == [options.DEFAULTS]


def test_what_is_chosen_for_the_process_holds_in_every_thread_without_a_block(process: None) -> None:
    options.choose_for_process({"on_error": "skip"})
    seen: List[Any] = []
    thread = threading.Thread(target=lambda: seen.append(options.current()))
    thread.start()
    thread.join()
    assert seen == [options.Options(on_error="skip")]
    assert options.chosen_for_process() == {"on_error": "skip"}
    with queuecompat.options(on_error="raise"):
        assert options.current() == options.DEFAULTS


def test_what_is_chosen_for_the_process_takes_the_place_of_what_was_chosen_before(process: None) -> None:
    """A cell of ``%%queuecompat --shard 0/2`` left its shard to all cells after it."""
    options.choose_for_process({"on_error": "skip", "max_errors": 3})
    options.choose_for_process({"shuffle": "global"})
    assert options.current() == options.Options(shuffle="global")
    options.choose_for_process({})
    assert options.current() == options.DEFAULTS


@pytest.mark.parametrize(
    "choose", [lambda **one: queuecompat.options(**one).__enter__(), lambda **one: options.choose_for_process(one)]
)
def test_an_unknown_option_gets_a_suggestion(choose: Any) -> None:
    with pytest.raises(
        TypeError, match=r"QC530 queuecompat has no option 'on_eror'(.|\n)*did you mean on_error\?"
    ) as caught:
        choose(on_eror="skip")
    assert isinstance(caught.value, QueueCompatError)
    assert caught.value.code == "QC530"


WRONG = [
    {"on_error": "ignore"},
    {"on_error": None},
    {"on_error": "skip", "max_errors": -1},
    {"max_errors": 3},
    {"random_seed": 3},
    {"random": "index"},
]


@pytest.mark.parametrize("chosen", [*WRONG, {"on_error": "skip", "max_errors": True}])
def test_a_value_that_an_option_cannot_have_is_refused_where_it_is_chosen(chosen: Any) -> None:
    with pytest.raises(ValueError, match="QC531") as caught, queuecompat.options(**chosen):
        pass
    assert isinstance(caught.value, QueueCompatError)
    assert "test_options.py:" in str(caught.value)


def test_an_argument_of_the_functions_own_is_no_option() -> None:
    def own(files: Any, on_error: str = "") -> None: ...

    def other(files: Any) -> None: ...

    given = {"files": [], "on_error": "skip"}
    assert options.named(own, given) == (given, {})
    assert options.named(other, given) == ({"files": []}, {"on_error": "skip"})


def test_integers_of_numpy_are_integers() -> None:
    """They were refused, as QC531."""
    chosen: Dict[str, Any] = {"shard": (np.int64(1), np.int32(2)), "random": "by_index", "random_seed": np.int64(3)}
    more: Dict[str, Any] = {"on_error": "skip", "max_errors": np.int16(4), "cache": "ram", "cache_bytes": np.uint64(5)}
    with queuecompat.options(**chosen, **more):
        found = options.current()
    assert isinstance(found.shard, tuple)
    numbers = [*found.shard, found.random_seed, found.max_errors, found.cache_bytes]
    assert numbers == [1, 2, 3, 4, 5] and {type(one) for one in numbers} == {int}
