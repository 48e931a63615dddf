"""Functions for worker processes, which import this module: no TensorFlow here."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Tuple

import numpy as np

from queuecompat.loader import stage


class Pair(NamedTuple):
    image: Any
    label: Any


class UnpicklableError(Exception):
    """One that cannot travel: what it was made with is not what it is unpickled with."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def same(item: int) -> int:
    return item


def random_numbers(item: int, rng: np.random.Generator) -> np.ndarray:
    return rng.integers(1000, size=3)


def nested(item: int) -> Dict[str, Any]:
    return {"pair": Pair(np.full((2, 3), item, np.float32), [item, item / 2]), "name": f"item {item}"}


def some(item: int) -> Iterator[int]:
    """None to four examples."""
    for number in range(item % 5):
        yield 10 * item + number


def fails_on_six(item: int) -> float:
    return 12 / (6 - item)


def fails_strangely(item: int) -> int:
    if item == 3:
        raise UnpicklableError(1, 2)
    return item


def skips_some(item: int) -> int:
    if item in (2, 3, 9):
        raise ValueError(f"no {item}")
    return item


def ends_of_file(item: int) -> int:
    """What a truncated file raises; a broken pipe raises it, too."""
    raise EOFError("too short")


def is_killed_at_seven(item: int) -> int:
    if item == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def exits_at_seven(item: int) -> int:
    if item == 7:
        os._exit(3)
    return item


def leaves_at_seven(item: int) -> int:
    if item == 7:
        sys.exit("enough")
    return item


def another_shape_at_five(item: int) -> np.ndarray:
    return np.zeros((2 + (item == 5), 3))


def several_at_five(item: int) -> Any:
    return iter([item]) if item == 5 else item


def takes_for_ever(item: int) -> int:
    while True:
        time.sleep(60)  # nobody waits for it: that is what is tested


def tells_and_takes_for_ever(pipe: str) -> int:
    with open(pipe, "w") as told:
        told.write("here")
    return takes_for_ever(0)


def into_its_place(item: int, out: Any = None) -> Tuple[Any, int]:
    """Says whether it got a place, and uses it."""
    image = np.empty((4,), np.float32) if out is None else out[0]
    image[:] = item
    return image, int(out is not None)


def named(item: str) -> np.ndarray:
    return np.array([len(item)])


def takes_a_second(item: int) -> int:
    time.sleep(1)
    return item


def fails(item: int) -> int:
    raise FileNotFoundError(f"no file {item}")


def yields_nothing(item: int) -> Iterator[int]:
    return iter(())


def crashes_at_seven(item: int) -> int:
    """A crash in C, without an exception."""
    if item == 7:
        ctypes.string_at(0)
    return item


def crashes_in_between(item: int) -> Iterator[int]:
    yield 10 * item
    if item == 3:
        os._exit(1)
    yield 10 * item + 1


def crashes_often(item: int) -> int:
    if item in (0, 3, 4, 9):
        os._exit(1)
    return item


def a_lock_at_five(item: int) -> Dict[str, Any]:
    """An object that cannot be pickled, which the first examples do not show."""
    return {"number": item, "thing": threading.Lock() if item == 5 else None}


class LostOnTheWay:
    """Pickled without a complaint, and not to be unpickled."""

    def __reduce__(self) -> Any:
        return _refuse, ()


def _refuse() -> None:
    raise ValueError("cannot be unpickled")


def lost_at_five(item: int) -> Dict[str, Any]:
    return {"number": item, "thing": LostOnTheWay() if item == 5 else None}


def stops_at_seven(item: int) -> int:
    """As a debugger, or a batch system, stops a process: it is there and does nothing."""
    if item == 7:
        os.kill(os.getpid(), signal.SIGSTOP)
    return item


def hangs_while_there_is(flag: str) -> int:
    while os.path.exists(flag):
        with open(flag + ".here", "w") as told:
            told.write("here")
        time.sleep(60)  # it is killed: that is what is tested
    return 1


def uses_a_loader_in_a_daemon(told: Any) -> None:
    from queuecompat import BackgroundLoader

    try:
        list(BackgroundLoader(range(4), same, batch_size=2, workers="processes"))
    except RuntimeError as problem:
        told.send(str(problem))


def words(item: int) -> Dict[str, Any]:
    """None to eight numbers."""
    return {"word": np.full(item % 9, item, np.int16), "item": item}


def several_words(item: int) -> Iterator[Dict[str, Any]]:
    for number in range(item % 4):
        yield words(item + 5 * number)


def word_length(example: Dict[str, Any]) -> int:
    return len(example["word"])


def words_in_one(examples: List[Dict[str, Any]]) -> Dict[str, Any]:
    """All numbers, and where each word ends."""
    ends = np.cumsum([len(example["word"]) for example in examples])
    return {"words": np.concatenate([example["word"] for example in examples]), "ends": ends}


_numbers = threading.local()


def remembers_its_number(number: int) -> None:
    _numbers.worker = number


def number_of_the_worker(item: int) -> int:
    return _numbers.worker


def has_no_connection(number: int) -> None:
    raise ConnectionError(f"worker {number} has none")


def has_no_second_connection(number: int) -> None:
    if number == 1:
        time.sleep(0.5)
        raise ConnectionError(f"worker {number} has none")


def in_stages(item: int) -> int:
    with stage("read"):
        time.sleep(0.0001)
    with stage("parse"):
        time.sleep(0.002)
    return item


def twice(item: int) -> Iterator[int]:
    yield item
    yield -item


def as_many(item: int) -> np.ndarray:
    return np.full(item % 5, item)


def filled(item: int) -> np.ndarray:
    return np.full(5000, item, np.float32)


def into_each_others_places(item: int, *, out: Any) -> Tuple[Any, Any]:
    """The negative item, and the item."""
    plain, negative = out or (np.empty(200, np.float32), np.empty(200, np.float32))
    plain[...], negative[...] = item, -item
    return negative, plain


def with_a_place(item: int, out: Any) -> int:
    assert out is None or isinstance(out, np.ndarray), out
    return item


def with_a_place_and_random_numbers(item: int, out: Any, rng: np.random.Generator) -> float:
    assert out is None or isinstance(out, np.ndarray), out
    return item + int(rng.integers(1))


def in_one_buffer(item: int) -> Iterator[np.ndarray]:
    """Three arrays of its number, in the same memory."""
    buffer = np.zeros(200, np.float32)
    for number in range(3):
        buffer[...] = item * 10 + number
        yield buffer
