"""Whole numbers of NumPy are whole numbers, wherever the loader's public names take one."""

from __future__ import annotations

import functools
import inspect
import json
import pathlib
import re
from typing import Any, Callable, Dict, Iterable, Set, Tuple

import numpy as np
import pytest

from queuecompat import BackgroundLoader, ImageListLoader
from queuecompat.errors import QueueCompatValueError
from queuecompat.loader import MemoryCache, balanced_weights, stage
from queuecompat.records import Records, TarSamples, parse_example
from tests.loader import loads
from tests.loader.images.specimens import encoded, photograph
from tests.loader.sources import lists

PUBLIC: Tuple[Callable[..., Any], ...] = (
    BackgroundLoader,
    ImageListLoader,
    ImageListLoader.batches,
    ImageListLoader.sample_batches,
    MemoryCache,
    balanced_weights,
    parse_example,
    stage,
    Records,
    TarSamples,
)

# What takes whole numbers, and what else it needs then. Truth values count: ``shuffle`` is in a state, too.
LOADER: Dict[str, Tuple[Any, Dict[str, Any]]] = {
    "batch_size": (4, {}),
    "capacity": (12, {"shuffle": True, "load": loads.some}),
    "min_after_dequeue": (2, {"shuffle": True, "load": loads.some}),
    "num_workers": (2, {}),
    "draws": (7, {"weights": np.arange(20)}),
    "weights": (list(range(20)), {}),
    "sampler": ([3, 1, 4, 1, 5, 9], {}),
    "shard": ((1, 3), {}),
    "num_epochs": (2, {}),
    "seed": (5, {"shuffle": True}),
    "examples_per_item": (2, {"load": loads.twice}),
    "pad_to": ((5,), {"load": loads.as_many}),
    "pad_value": (7, {"load": loads.as_many, "pad_to": (20,), "num_epochs": 1}),
    "bucket_boundaries": ([5, 10], {"bucket_by": loads.same}),
    "max_errors": (3, {"load": loads.skips_some, "on_error": "skip"}),
    "timeout": (60, {}),
    "shuffle": (True, {}),
    "replacement": (False, {"weights": np.arange(20)}),
    "drop_remainder": (True, {}),
    "pin_memory": (False, {}),
    "copy": (False, {}),
    "progress": (False, {}),
}
IMAGES: Dict[str, Tuple[Any, Dict[str, Any]]] = {
    "crop": ((12, 16), {}),
    "crops_per_image": (2, {}),
    "resize": (24, {}),
    "crop_area": ((1, 1), {}),
    "crop_ratio": ((1, 2), {"crop_area": (0.5, 1)}),
    "scale": (2, {}),
    "max_pixels": (64 * 80, {}),
    "cache_bytes": (1 << 20, {}),
    "batch_size": (3, {}),
    "seed": (5, {}),
    "num_epochs": (2, {}),
    "std": (3, {}),
    "mean": ([1, 2, 3], {"subtract_mean": True}),
    "is_train": (False, {}),
    "subtract_mean": (False, {}),
    "mirror": (False, {}),
    "progress": (False, {}),
}
TABLES = {"BackgroundLoader": LOADER, "ImageListLoader": IMAGES}
# Tested on their own below.
OTHERS = {"MemoryCache": {"max_bytes"}, "batches": {"batch_size"}, "sample_batches": {"batch_size", "n"}}
OTHERS["Records"] = {"verify"}

KINDS: Dict[str, Callable[[Any], Any]] = {"int64": np.int64, "uint16": np.uint16, "array": np.array}


def as_numpy(kind: Callable[[Any], Any], value: Any) -> Any:
    """*value* with NumPy's numbers, of that *kind* where they are whole, for Python's."""
    if isinstance(value, (list, tuple)):
        return type(value)(as_numpy(kind, part) for part in value)
    if isinstance(value, bool):
        return np.bool_(value)
    if isinstance(value, int):
        return kind(value) if kind is not np.uint16 or value < 1 << 16 else np.uint32(value)
    return np.float32(value) if isinstance(value, float) else value


def numeric(function: Callable[..., Any]) -> Set[str]:
    """The parameters of *function* that may be numbers, alone or in a sequence."""
    found = inspect.signature(function).parameters.values()
    is_number = re.compile(r"\b(int|float|bool)\b(?!\])")
    calls = re.compile(r"Callable\[.*?\]")
    return {one.name for one in found if is_number.search(calls.sub("", str(one.annotation)))}


@pytest.mark.parametrize("function", PUBLIC, ids=lambda function: function.__name__)
def test_every_parameter_that_may_be_a_number_is_tried(function: Any) -> None:
    tried: Iterable[str] = TABLES.get(function.__name__, OTHERS.get(function.__name__, ()))
    assert numeric(function) <= set(tried)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LOADER)
def test_a_loader_takes_numbers_of_numpy_and_converts_them(name: str, kind: str) -> None:
    value, others = LOADER[name]

    def make(value: Any) -> BackgroundLoader:
        plain = {"source": range(20), "load": loads.same, "batch_size": 4, "seed": 1, "num_epochs": 1, "num_workers": 1}
        return BackgroundLoader(**{**plain, **others, name: value})

    loader, expected = make(as_numpy(KINDS[kind], value)), make(value)
    assert repr(loader) == repr(expected)
    assert_same_states(loader, expected)
    assert lists(loader) == lists(expected)
    assert_same_states(loader, expected)


def assert_same_states(one: Any, other: Any) -> None:
    """Their states are the same JSON, and each takes that of the other."""
    state = json.dumps(other.state_dict())
    assert json.dumps(one.state_dict()) == state
    one.load_state_dict(json.loads(state))
    assert json.dumps(one.state_dict()) == state


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("images")
    (folder / "image.png").write_bytes(encoded(photograph(), "PNG"))
    return [(folder / "image.png", number) for number in range(4)]


def images(pairs: Any, **arguments: Any) -> ImageListLoader:
    plain = {"crop": 12, "subtract_mean": False, "batch_size": 2, "seed": 3, "num_workers": 1}
    return ImageListLoader(pairs, **{**plain, **arguments})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", IMAGES)
def test_a_loader_of_images_takes_numbers_of_numpy_and_converts_them(name: str, kind: str, pairs: Any) -> None:
    value, others = IMAGES[name]
    loader = images(pairs, **{**others, name: as_numpy(KINDS[kind], value)})
    expected = images(pairs, **{**others, name: value})
    assert repr(loader) == repr(expected)
    assert lists(loader) == lists(expected)
    assert_same_states(loader, expected)


@pytest.mark.parametrize("kind", KINDS)
def test_methods_of_a_loader_take_numbers_of_numpy_and_convert_them(kind: str, pairs: Any) -> None:
    def number(value: int) -> Any:
        return as_numpy(KINDS[kind], value)

    one, other = images(pairs), images(pairs)
    assert lists(one.batches(number(3))) == lists(other.batches(3))
    assert lists(one.sample_batches(number(2), number(2))) == lists(other.sample_batches(2, 2))
    assert_same_states(one, other)


@pytest.mark.parametrize("n", [2.5, "2", True, np.True_, 0, None])
def test_a_sample_has_a_whole_number_of_batches(n: Any, pairs: Any) -> None:
    """Two and a half used to be two."""
    with pytest.raises(QueueCompatValueError, match="QC630"):
        images(pairs).sample_batches(1, n)
    with pytest.raises(QueueCompatValueError, match="QC630"):
        images(pairs).sample_batches(n, 1)


@pytest.mark.parametrize("kind", KINDS)
def test_an_epoch_and_a_state_may_have_them(kind: str) -> None:
    make = functools.partial(BackgroundLoader, range(20), loads.random_numbers, batch_size=4, shuffle=True, seed=1)
    one, other = make(), make()
    one.epoch, other.epoch = as_numpy(KINDS[kind], 3), 3
    assert_same_states(one, other)
    state = {name: as_numpy(KINDS[kind], value) for name, value in other.state_dict().items()}
    again = make(seed=2)
    again.load_state_dict(state)
    assert json.dumps(again.state_dict()) == json.dumps(other.state_dict())
    assert lists(again) == lists(one)


@pytest.mark.parametrize("kind", KINDS)
def test_a_cache_and_a_file_of_records_take_them(kind: str, tmp_path: pathlib.Path) -> None:
    def number(value: int) -> Any:
        return as_numpy(KINDS[kind], value)

    cache = MemoryCache(np.zeros, max_bytes=number(2000))
    assert cache(2).nbytes == 16
    assert type(cache.statistics().bytes) is int
    (tmp_path / "empty.tfrecords").write_bytes(b"")
    assert len(Records([tmp_path / "empty.tfrecords"], verify=np.bool_(False))) == 0  # type: ignore[arg-type]
    np.testing.assert_array_equal(balanced_weights([number(1), number(1), number(2)]), [0.5, 0.5, 1])
