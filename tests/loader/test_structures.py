"""An example is compared with what the first one has shown without that being made out of it again."""

from __future__ import annotations

import collections
import pathlib
import types
from typing import Any, Tuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queuecompat import BackgroundLoader
from queuecompat.loader.memory.structures import leaves_of, spec_of
from queuecompat.loader.memory_cache import MemoryCache

Pair = collections.namedtuple("Pair", ["first", "second"])


class List(list):  # type: ignore[type-arg]
    """A list by another name, which is nested like one."""


ENDS = st.sampled_from(
    [1, 2.5, True, "text", b"bytes", None, 1 << 70, np.int64(3), np.float32(1), np.str_("t"), np.bytes_(b"b")]
) | st.sampled_from(
    [np.zeros(2), np.zeros(2, np.float32), np.zeros((2, 0)), np.array(["a", "b"]), np.array([None, 1], object)]
)


def nestings(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(children, max_size=2)
    keys = st.sampled_from(["a", "b", 1, True])
    return (
        several
        | several.map(tuple)
        | several.map(List)
        | st.builds(Pair, children, children)
        | st.dictionaries(keys, children, max_size=2)
        | st.dictionaries(keys, children, max_size=2).map(collections.OrderedDict)
    )


VALUES = st.recursive(ENDS, nestings, max_leaves=4)


def made_out_of(value: Any) -> Tuple[Any, Any]:
    treedef, leaves = leaves_of(value)
    return spec_of(treedef, leaves), leaves


@given(VALUES, VALUES)
def test_what_is_found_at_once_is_what_would_have_been_made_out_of_the_example(model: Any, value: Any) -> None:
    """None is always right: then it is made out of it. Anything else has to be the same."""
    spec = made_out_of(model)[0]
    found = spec.leaves_of(value)
    if found is not None:
        its_spec, leaves = made_out_of(value)
        assert its_spec == spec
        assert len(found) == len(leaves)
        for one, other in zip(found, leaves):
            assert (one.dtype, one.shape, one.tolist()) == (other.dtype, other.shape, other.tolist())


@pytest.mark.parametrize(
    "value",
    [
        3,
        2.5,
        "text",
        np.zeros(2),
        np.float32(1),
        (np.zeros(2), 1),
        [1, [2, (3,)]],
        {"b": np.zeros(2), "a": {"c": 1}},
        Pair(1, "t"),
    ],
)
def test_the_usual_examples_are_found_at_once(value: Any) -> None:
    assert made_out_of(value)[0].leaves_of(value) is not None


def test_a_masked_array_is_refused_wherever_it_is() -> None:
    masked = np.ma.masked_array([1, 2], [True, False])
    for value in (masked, (masked, 1), {"a": masked}):
        spec = made_out_of((np.zeros(2, np.int64), 1) if isinstance(value, tuple) else np.zeros(2, np.int64))[0]
        with pytest.raises(TypeError, match="would lose its mask"):
            assert spec.leaves_of(value) is None
            leaves_of(value)


def arrays_of(item: str) -> Any:
    return np.load(item)


def encoding_of(item: str) -> Any:
    return collections.UserDict(number=int(pathlib.Path(item).stem), rows=np.zeros(3))


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("load", [arrays_of, encoding_of])
def test_a_mapping_that_is_no_dict_is_one_example_of_its_values(
    load: Any, workers: str, tmp_path: pathlib.Path
) -> None:
    """What np.load opens of an .npz file, and a tokenizer's encoding: the batches were arrays of the keys."""
    files = [str(tmp_path / f"{number}.npz") for number in range(4)]
    for number, name in enumerate(files):
        np.savez(name, number=number, rows=np.zeros(3))
    with BackgroundLoader(files, load, batch_size=4, workers=workers, num_workers=1) as loader:
        (batch,) = loader
    assert sorted(batch) == ["number", "rows"]
    assert batch["number"].tolist() == [0, 1, 2, 3] and batch["rows"].shape == (4, 3)


def test_a_mapping_has_the_spec_of_the_dict_with_its_content() -> None:
    spec = made_out_of({"a": 1, "b": {"c": np.zeros(2)}})[0]
    for kind in (collections.UserDict, types.MappingProxyType):
        value = kind({"b": kind({"c": np.zeros(2)}), "a": 1})
        assert made_out_of(value)[0] == spec
        assert made_out_of(1)[0].leaves_of(value) is None


def test_a_mapping_in_a_memory_cache_is_read_only_and_counts_by_its_arrays() -> None:
    cache = MemoryCache(lambda item: collections.UserDict(rows=np.zeros(100)), max_bytes=1000)
    for _ in range(2):
        cached = cache(1)
    assert cache.statistics().bytes == 800 and cache.statistics().hits == 1
    assert not cached["rows"].flags.writeable


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_of_what_load_was_given_to_write_into_only_its_own_place_is_not_copied(workers: str) -> None:
    with BackgroundLoader(range(4), Exchanged(), batch_size=2, workers=workers, shuffle=False) as loader:
        for first, second in loader:
            np.testing.assert_array_equal(first, second + 100)


class Exchanged:
    """Writes each array into the place of the other, and returns them so that all is right again."""

    def __call__(self, item: int, out: Any = None) -> Any:
        first, second = (np.empty(3), np.empty(3)) if out is None else out
        first[...], second[...] = item, item + 100
        return second, first
