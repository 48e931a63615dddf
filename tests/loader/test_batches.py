"""How examples become batches: padding, buckets, collate, transforms, arrays of other libraries."""

from __future__ import annotations

import collections
import json
import threading
import types
from typing import Any, Dict, List, Optional

import numpy as np
import pytest

from queuecompat import BackgroundLoader, LoadError
from queuecompat.errors import QueueCompatError, QueueCompatTypeError, QueueCompatValueError
from tests.loader import loads
from tests.loader.sources import Countable, lists, tuple_of


def make(source: Any = range(23), load: Any = loads.words, **kinds: Any) -> BackgroundLoader:
    return BackgroundLoader(source, load, **{"batch_size": 4, "seed": 7, "num_workers": 2, **kinds})


def noisy(batch: Any, rng: np.random.Generator) -> Any:
    return {**batch, "noise": rng.integers(1000, size=2)}


STEPS: Dict[str, Dict[str, Any]] = {
    "padded": {"pad_to": {"word": (None,)}, "pad_value": {"word": -1}},
    "collated": {"collate": loads.words_in_one},
    "transformed": {"pad_to": {"word": [9]}, "batch_transform": noisy},
    "bucketed": {"pad_to": {"word": (None,)}, "bucket_by": loads.word_length, "bucket_boundaries": [3, 6]},
    "all": {
        "collate": loads.words_in_one,
        "bucket_by": loads.word_length,
        "bucket_boundaries": [3, 6],
        "batch_transform": noisy,
    },
}


@pytest.mark.parametrize("source", [range(23), Countable(23)], ids=["sequence", "iterable"])
@pytest.mark.parametrize("name", STEPS)
def test_every_state_goes_on_with_the_same_finished_batches(name: str, source: Any) -> None:
    kinds: Any = dict(STEPS[name], shuffle=True, num_epochs=2)
    loader = make(source, **kinds)
    states, batches = [loader.state_dict()], []
    for batch in loader:
        batches.append(tuple_of(batch))
        states.append(loader.state_dict())
    next_pass = lists(loader)
    for taken, state in enumerate(states):
        again = make(source, **kinds, num_workers=1)
        again.load_state_dict(json.loads(json.dumps(state)))
        assert lists(again) == batches[taken:]
    assert lists(again) == next_pass


def test_processes_make_the_same_finished_batches() -> None:
    for name in ("all", "bucketed"):
        with make(**STEPS[name], workers="processes", num_workers=1) as loader:
            assert lists(loader) == lists(make(**STEPS[name])), name


@pytest.mark.parametrize("name", ["padded", "all"])
def test_items_of_several_examples_are_resumed_in_their_buckets(name: str) -> None:
    kinds: Any = dict(STEPS[name], shuffle=True)
    loader = make(load=loads.several_words, **kinds)
    states, batches = [loader.state_dict()], []
    for batch in loader:
        batches.append(tuple_of(batch))
        states.append(loader.state_dict())
    for taken in range(0, len(states), 3):
        again = make(load=loads.several_words, **kinds, num_workers=1)
        again.load_state_dict(json.loads(json.dumps(states[taken])))
        assert lists(again) == batches[taken:]


# Padding.


def test_arrays_are_padded_to_the_longest_of_their_batch() -> None:
    first, *_ = make(**STEPS["padded"], batch_size=3)
    assert first["word"].tolist() == [[-1, -1], [1, -1], [2, 2]]
    assert first["word"].dtype == np.int16
    assert first["item"].tolist() == [0, 1, 2]


def test_arrays_are_padded_to_a_fixed_shape() -> None:
    for batch in make(load=np.eye, source=range(1, 6), pad_to=(6, None), pad_value=5):
        assert batch.shape[1] == 6
    assert batch[0].tolist() == [
        [1, 0, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 0],
        [0, 0, 0, 0, 1],
        [5] * 5,
    ]
    (batch,) = make(load=np.eye, source=range(1, 5), pad_to=[4, 4])
    assert batch.shape == (4, 4, 4)
    assert batch[1].sum() == 2


def test_tuples_and_named_tuples_are_padded_by_place() -> None:
    def pair(item: int) -> Any:
        return loads.Pair([item] * item, (item, np.ones([item, 2])))

    (batch,) = make(range(1, 4), pair, pad_to=((None,), (None, (3, 2))))
    assert isinstance(batch, loads.Pair)
    assert batch.image.tolist() == [[1, 0, 0], [2, 2, 0], [3, 3, 3]]
    assert batch.label[0].tolist() == [1, 2, 3]
    assert batch.label[1].shape == (3, 3, 2)


@pytest.mark.parametrize(
    ("pad_to", "says"),
    [
        ({"word": (4,)}, r"example\['word'\] has shape \[5\], which cannot be padded to \[4\]"),
        ({"word": (None, None)}, r"example\['word'\] has shape \[0\], which cannot be padded to \[None, None\]"),
        ({"wrod": (None,)}, r"example is a dict with keys \['item', 'word'\], and pad_to has \{'wrod'"),
        ([(None,), None], "example is a dict"),
    ],
)
def test_what_cannot_be_padded_is_a_failure_of_its_item(pad_to: Any, says: str) -> None:
    with pytest.raises(LoadError, match=f"QC605 .*{says}"):
        lists(make(pad_to=pad_to))


def test_an_item_that_is_too_large_can_be_skipped() -> None:
    loader = make(range(7), pad_to={"word": (4,)}, on_error="skip")
    assert sum(len(batch["item"]) for batch in loader) == 5
    assert sorted(skipped.index for skipped in loader.skipped) == [5, 6]


@pytest.mark.parametrize(
    "dtype, fill, shape",
    [
        ("int32", 0.5, None),
        ("int64", float("nan"), None),
        ("uint8", -1, None),
        ("bool", -1, 9),
        ("<U1", 0, 9),
        ("<U1", 0, None),
        ("S1", "", None),
        ("int8", 255, 9),
    ],
)
def test_a_pad_value_that_the_arrays_cannot_hold_is_an_error(dtype: str, fill: float, shape: Optional[int]) -> None:
    """NumPy would take 0 for 0.5, True for -1, and text for a number."""
    with pytest.raises(LoadError, match=r"(?s)QC(637|605) .*is not a value of"):
        lists(make(load=lambda item: np.zeros(item, dtype), pad_to=(shape,), pad_value=fill))


@pytest.mark.parametrize("shape", [None, 3])
@pytest.mark.parametrize("kind", [list, np.array])
def test_text_of_different_lengths_is_padded(kind: Any, shape: Optional[int]) -> None:
    """It was an error, since the dtypes of NumPy's arrays of text differ with its length."""
    words = [["the", "cat"], ["elephant"], ["a", "b", "c"]]
    (batch,) = make(words, kind, pad_to=(shape,), pad_value="<none>")
    assert batch.tolist() == [["the", "cat", "<none>"], ["elephant", "<none>", "<none>"], ["a", "b", "c"]]


def test_the_mask_of_an_array_to_pad_is_not_dropped() -> None:
    with pytest.raises(LoadError, match=r"QC605 .*a masked array would lose its mask"):
        lists(make(load=lambda item: np.ma.masked_equal(np.arange(item), 3), pad_to=(None,)))


def test_a_shape_for_what_is_several_arrays_is_refused() -> None:
    with pytest.raises(LoadError, match=r"QC605 .*example is a tuple, not one array, and pad_to has"):
        lists(make(load=lambda item: (np.arange(item), 5), pad_to=(None,)))


def test_arrays_of_different_dtypes_are_not_padded_into_one() -> None:
    with pytest.raises(LoadError, match=r"(?s)QC637 .*different dtypes in one batch: float64, int64"):
        lists(make(load=lambda item: np.ones(3, np.int64 if item else np.float64), pad_to=(None,)))


@pytest.mark.parametrize(
    ("kind", "fill", "expected"),
    [
        (list, -1, [[-1, -1], [0, -1], [0, 1]]),
        (np.array, -1, [[-1, -1], [0, -1], [0, 1]]),
        (lambda numbers: [str(number) for number in numbers], "", [["", ""], ["0", ""], ["0", "1"]]),
    ],
)
def test_an_example_without_elements_is_padded_whatever_its_dtype(kind: Any, fill: Any, expected: List[Any]) -> None:
    """It was an error: NumPy makes an empty list an array of float64."""
    (batch,) = make(range(3), lambda item: kind(list(range(item))), pad_to=(None,), pad_value=fill)
    assert batch.tolist() == expected
    assert batch.dtype == (object if fill == "" else np.int64)


def test_a_batch_without_elements_has_no_columns() -> None:
    (batch,) = make(range(3), lambda item: [], pad_to=(None,), pad_value="<none>")
    assert batch.shape == (3, 0)


@pytest.mark.parametrize("rows", [None, 2])
def test_an_empty_list_has_no_rows_of_the_shape_to_pad_to(rows: Optional[int]) -> None:
    """An image without boxes, for example; it was an error, since the list has one dimension."""
    (batch,) = make(range(3), lambda item: [[0.5, 1.5, 2.5, 3.5]] * item, pad_to=(rows, 4))
    assert batch.shape == (3, 2, 4)
    assert batch.any(axis=2).tolist() == [[False, False], [True, False], [True, True]]


# Buckets.


def test_a_batch_has_examples_of_one_bucket() -> None:
    batches = list(make(**STEPS["bucketed"], shuffle=True, num_epochs=3))
    items = [item for batch in batches for item in batch["item"].tolist()]
    assert sorted(items) == sorted(3 * list(range(23)))
    for batch in batches:
        assert len({np.searchsorted([3, 6], item % 9, side="right") for item in batch["item"]}) == 1
    assert [len(batch["item"]) for batch in batches[:-3]] == [4] * (len(batches) - 3)


def test_the_rest_of_each_bucket_can_be_left_out() -> None:
    sizes = [len(batch["item"]) for batch in make(**STEPS["bucketed"], drop_remainder=True)]
    assert set(sizes) == {4}


def test_a_rarely_filled_bucket_does_not_delay_the_others() -> None:
    """All other examples pass one that waits for its batch."""
    kinds: Any = dict(bucket_by=lambda example: example == 0, bucket_boundaries=[1], batch_size=2, capacity=2)
    items = [item for batch in make(range(500), loads.same, **kinds) for item in batch.tolist()]
    assert items == [*range(1, 499), 499, 0]


def test_a_bucketed_loader_has_no_length() -> None:
    with pytest.raises(QueueCompatTypeError, match=r"QC619 .*bucket"):
        len(make(**STEPS["bucketed"]))


def test_a_function_for_buckets_that_fails_is_a_failure_of_its_item() -> None:
    kinds: Any = dict(bucket_by=lambda example: 1 // example, bucket_boundaries=[1], load=loads.same)
    loader = make(**kinds, on_error="skip")
    assert sum(map(len, loader)) == 22
    assert [skipped.index for skipped in loader.skipped] == [0]


@pytest.mark.parametrize("given", [None, "a"])
def test_a_bucket_is_selected_by_a_number(given: Any) -> None:
    with pytest.raises(LoadError, match=f"QC605 .*bucket_by returned {given!r}, not a number"):
        lists(make(bucket_by=lambda example: given, bucket_boundaries=[1]))


@pytest.mark.parametrize("left", [[1], [1, 2, -1], "abc", [0, 0, 1.5]])
def test_a_state_with_other_buckets_is_refused(left: Any) -> None:
    loader = make(**STEPS["bucketed"])
    with pytest.raises(QueueCompatValueError, match=r"QC617 .*has left="):
        loader.load_state_dict({**loader.state_dict(), "left": left})
    other = make(**{**STEPS["bucketed"], "bucket_boundaries": [3, 7]})
    with pytest.raises(QueueCompatValueError, match=r"QC617 .*has boundaries="):
        loader.load_state_dict(other.state_dict())


# Functions for batches.


def test_collate_gets_what_load_returned() -> None:
    def load(item: int) -> Any:
        return {"any": item} if item % 2 else [item, "text"]

    assert list(make(range(3), load, collate=list)) == [[[0, "text"], {"any": 1}, [2, "text"]]]


@pytest.mark.parametrize("kind", [dict, collections.OrderedDict, collections.UserDict])
def test_collate_gets_copies_of_arrays_in_any_dict(kind: Any) -> None:
    """Of what was not a plain dict they were the arrays themselves, into which ``load`` writes again."""
    again = np.zeros(1, np.int64)

    def load(item: int) -> Any:
        again[0] = item
        return kind(value=again)

    (batch,) = make(range(3), load, collate=list, num_workers=1, batch_size=3)
    assert [type(example) for example in batch] == [kind] * 3
    assert [example["value"].tolist() for example in batch] == [[0], [1], [2]]


def test_a_mapping_is_padded_as_a_dict_is() -> None:
    def load(item: int) -> Any:
        return collections.UserDict(tokens=[1] * (item + 1), label=item)

    (batch,) = make(range(3), load, pad_to={"tokens": (None,)}, batch_size=3)
    assert {name: array.tolist() for name, array in batch.items()} == {
        "tokens": [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        "label": [0, 1, 2],
    }


@pytest.mark.parametrize("kind", [collections.UserDict, types.MappingProxyType])
def test_the_arrays_of_a_mapping_that_collate_returns_are_converted(kind: Any) -> None:
    def stacked(examples: List[Any]) -> Any:
        return kind({"all": np.stack(examples)})

    (batch,) = make(range(3), None, collate=stacked, output=np.ndarray.tolist, batch_size=3)
    assert batch == {"all": [0, 1, 2]}


def test_a_transform_changes_the_batch_with_random_numbers_of_its_own() -> None:
    kinds: Any = dict(pad_to={"word": (9,)}, batch_transform=noisy)
    first, second = lists(make(**kinds)), lists(make(**kinds, num_workers=4))
    assert first == second
    assert len({tuple(batch["noise"]) for batch in first}) == len(first)
    loader = make(**kinds)
    assert lists(loader) == first
    assert [batch["noise"] for batch in lists(loader)] != [batch["noise"] for batch in first]


def test_a_transform_may_write_into_the_batch() -> None:
    def doubled(batch: np.ndarray) -> np.ndarray:
        batch *= 2
        return batch

    batches = list(make(load=loads.same, batch_transform=doubled, num_epochs=20))
    assert sorted(np.concatenate(batches).tolist()) == sorted(20 * [2 * item for item in range(23)])


def test_functions_for_batches_run_while_the_consumer_works() -> None:
    """On the threads of the workers: the consumer would wait for them otherwise."""
    threads = set()

    def told(batch: Any) -> Any:
        threads.add(threading.current_thread().name)
        return batch

    lists(make(load=loads.same, batch_transform=told))
    assert threads
    assert all(name.startswith("queuecompat-loader-") for name in threads)


@pytest.mark.parametrize("name", ["collate", "batch_transform"])
def test_a_failing_batch_function_is_reported_after_the_batches_before_it(name: str) -> None:
    def fails_on_nine(batch: Any) -> Any:
        if 9 in [item for item in batch]:
            raise KeyError("nine")
        return batch

    batches = iter(make(load=loads.same, on_error="skip", **{name: fails_on_nine}))
    assert [list(next(batches)), list(next(batches))] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    with pytest.raises(LoadError, match=r"QC637 the batch after the first 8 examples .*KeyError: 'nine'") as caught:
        next(batches)
    assert isinstance(caught.value.__cause__, KeyError)


def test_finished_batches_of_processes_can_be_kept() -> None:
    with make(range(200), loads.same, batch_size=2, workers="processes", num_workers=1, batch_transform=list) as loader:
        kept = list(loader)
    assert [item for batch in kept for item in batch] == list(range(200))


# Arrays of other libraries.


def shares_memory(array: np.ndarray, tensor: Any) -> bool:
    return np.shares_memory(array, np.asarray(tensor))


def test_a_function_for_each_array_gets_the_batchs_own_memory() -> None:
    seen: List[np.ndarray] = []

    def convert(array: np.ndarray) -> Any:
        seen.append(array)
        return np.from_dlpack(array) if array.dtype.kind != "O" else array

    batches = list(make(range(8), loads.nested, output=convert))
    assert batches[1]["name"].tolist() == ["item 4", "item 5", "item 6", "item 7"]
    assert isinstance(batches[0]["pair"], loads.Pair)
    assert shares_memory(seen[1], batches[0]["pair"].image)


def test_torch_gets_tensors_in_the_batchs_memory() -> None:
    torch = pytest.importorskip("torch")
    arrays = []

    def remembered(batch: Any) -> Any:
        arrays.append(batch["pair"].image)
        return batch

    for number, batch in enumerate(make(range(8), loads.nested, output="torch", batch_transform=remembered)):
        assert isinstance(batch["pair"].image, torch.Tensor)
        assert shares_memory(arrays[number], batch["pair"].image.numpy())
        assert batch["name"].tolist()[0] == f"item {4 * number}"


def test_a_missing_output_library_is_an_error_when_the_loader_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(QueueCompatError, match=r"(?s)QC638 output='torch' .*pip install torch"):
        make(output="torch")


def test_an_array_that_a_library_does_not_know_is_named() -> None:
    def refuses(array: np.ndarray) -> Any:
        raise BufferError("no such dtype")

    with pytest.raises(QueueCompatTypeError, match=r"QC639 an array int64\[4\] .*no such dtype"):
        lists(make(load=loads.same, output=refuses))


# Refusals.


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"collate": list, "pad_to": (None,)}, r"(?s)for pad_to.*with collate="),
        ({"pad_value": 1}, r"(?s)1 for pad_value.*pad_to="),
        ({"pad_to": (0,)}, r"\(0,\) for pad_to"),
        ({"pad_to": {"a": (1.5,)}}, "for pad_to"),
        ({"pad_to": 5}, "5 for pad_to"),
        ({"pad_to": "a"}, "'a' for pad_to"),
        ({"bucket_by": len}, r"None for bucket_boundaries"),
        ({"bucket_boundaries": [1]}, r"(?s)for bucket_boundaries.*bucket_by="),
        ({"bucket_by": len, "bucket_boundaries": [2, 1]}, r"\[2, 1\] for bucket_boundaries"),
        ({"bucket_by": len, "bucket_boundaries": [1, 1]}, "for bucket_boundaries"),
        ({"bucket_by": len, "bucket_boundaries": [float("nan")]}, "for bucket_boundaries"),
        ({"bucket_by": len, "bucket_boundaries": 5}, "for bucket_boundaries"),
        ({"output": "jax"}, r"(?s)'jax' for output.*from_dlpack"),
    ],
)
def test_arguments_about_batches_that_make_no_sense_are_refused(bad: Any, says: str) -> None:
    with pytest.raises(QueueCompatValueError, match=f"QC601 .*{says}" if not says.startswith("(?s)") else says):
        make(**bad)


@pytest.mark.parametrize("name", ["collate", "bucket_by", "batch_transform"])
def test_what_is_not_a_function_is_refused(name: str) -> None:
    with pytest.raises(QueueCompatTypeError, match=f"QC601 .*5 for {name}"):
        make(**{name: 5})


WORKERS = [{}, {"workers": "processes", "num_workers": 1}]


@pytest.mark.parametrize("kinds", WORKERS)
def test_arrays_that_are_returned_in_each_others_places_are_not_mixed_up(kinds: Any) -> None:
    """Each is in memory that the other one is written to."""
    batches = list(BackgroundLoader(range(20), loads.into_each_others_places, batch_size=4, **kinds))
    rows = [[part[:, 0].tolist() for part in batch] for batch in batches]
    wanted = [[float(item) for item in range(first, first + 4)] for first in range(0, 20, 4)]
    assert rows == [[[-item for item in items], items] for items in wanted]


@pytest.mark.parametrize("kinds", WORKERS)
@pytest.mark.parametrize("load", [loads.with_a_place, loads.with_a_place_and_random_numbers])
@pytest.mark.parametrize("more", [{}, {"bucket_by": float, "bucket_boundaries": [2]}, {"collate": np.stack}])
def test_a_place_is_given_by_name_wherever_it_stands(load: Any, more: Any, kinds: Any) -> None:
    batches = list(BackgroundLoader(range(4), load, batch_size=2, **more, **kinds))
    assert [batch.tolist() for batch in batches] == [[0, 1], [2, 3]]


@pytest.mark.parametrize("kinds", WORKERS)
@pytest.mark.parametrize("more", [{}, {"pad_to": (None,)}, {"pad_to": (200,)}, {"collate": np.stack}])
def test_a_load_may_use_an_array_again(more: Any, kinds: Any) -> None:
    batches = list(BackgroundLoader(range(4), loads.in_one_buffer, batch_size=6, **more, **kinds))
    assert [batch[:, 0].tolist() for batch in batches] == [[0, 1, 2, 10, 11, 12], [20, 21, 22, 30, 31, 32]]


def test_arrays_in_any_nesting_are_copied_for_collate() -> None:
    one = np.zeros(3)
    pair = collections.namedtuple("pair", ["array", "name"])

    def load(item: int) -> Any:
        one[...] = item
        return {"tuple": (one, item), "pair": pair(one, "x"), "list": [one]}

    (examples,) = BackgroundLoader(range(4), load, batch_size=4, num_workers=1, collate=lambda examples: examples)
    assert [int(example["tuple"][0][0]) for example in examples] == [0, 1, 2, 3]
    assert [int(example["pair"].array[0]) for example in examples] == [0, 1, 2, 3]
    assert [int(example["list"][0][0]) for example in examples] == [0, 1, 2, 3]
    assert [example["pair"].name for example in examples] == ["x"] * 4
