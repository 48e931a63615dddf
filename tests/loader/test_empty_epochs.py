"""An epoch without a single item or example is an error: it would train on nothing, or be tried forever."""

from __future__ import annotations

import pathlib
import re
import tarfile
from typing import Any, Callable, Dict, Iterator, Tuple

import numpy as np
import pytest

from queuecompat import BackgroundLoader, ImageListLoader, LoadError, records
from queuecompat.errors import QueueCompatValueError
from tests.loader import loads
from tests.loader.sources import Countable, lists

pytestmark = pytest.mark.timeout(120)


@pytest.mark.parametrize("workers", ["threads", "processes"])
@pytest.mark.parametrize("source", [range(6), Countable(6)], ids=["sequence", "iterable"])
@pytest.mark.parametrize("num_epochs", [None, 1, 2])
def test_items_that_all_fail_are_an_error_after_one_epoch(source: Any, num_epochs: Any, workers: str) -> None:
    """Without an end they used to be tried forever; with one, the loop ended without a word."""
    loader = BackgroundLoader(
        source, loads.fails, batch_size=4, num_epochs=num_epochs, on_error="skip", workers=workers, num_workers=2
    )
    with pytest.raises(
        LoadError, match=r"QC620 none of the 6 items of epoch 0 .* 6 failed, the last with FileNotFoundError: no file 5"
    ) as caught:
        lists(loader)
    assert caught.value.code == "QC620"
    assert sorted(one.index for one in loader.skipped) == list(range(6))


@pytest.mark.parametrize("num_epochs", [None, 1, 2])
def test_generators_that_yield_nothing_are_an_error_after_one_epoch(num_epochs: Any) -> None:
    with pytest.raises(LoadError, match="QC620 none of the 6 items of epoch 0 produced an example\n"):
        lists(BackgroundLoader(range(6), loads.yields_nothing, batch_size=4, num_epochs=num_epochs))


def test_a_later_epoch_without_an_example_is_one_too_after_the_batches_before_it() -> None:
    loaded = []

    def load(item: int) -> int:
        loaded.append(item)
        if len(loaded) > 4:
            raise OSError("the disk is gone")
        return item

    batches = iter(BackgroundLoader(range(4), load, batch_size=4, num_epochs=None, on_error="skip", num_workers=1))
    assert next(batches).tolist() == [0, 1, 2, 3]
    with pytest.raises(LoadError, match="QC620 none of the 4 items of epoch 1"):
        next(batches)


def test_the_rest_of_an_epoch_may_be_without_examples() -> None:
    """What came before a state was taken is not known, and was an example surely."""

    def load(item: int) -> int:
        if item > 3:
            raise ValueError("no")
        return item

    def make() -> BackgroundLoader:
        return BackgroundLoader(range(10), load, batch_size=4, on_error="skip")

    loader = make()
    next(iter(loader))
    again = make()
    again.load_state_dict(loader.state_dict())
    assert lists(again) == []


def test_an_epoch_whose_last_examples_are_dropped_is_none() -> None:
    assert lists(BackgroundLoader(range(3), batch_size=4, drop_remainder=True)) == []


def _mapped(folder: pathlib.Path) -> np.ndarray:
    np.save(folder / "array.npy", np.zeros((0, 3)))
    return np.load(folder / "array.npy", mmap_mode="r")


def _records(folder: pathlib.Path) -> records.Records:
    (folder / "empty.tfrecords").write_bytes(b"")
    return records.Records([folder / "empty.tfrecords"])


def _tar(folder: pathlib.Path) -> records.TarSamples:
    tarfile.open(folder / "empty.tar", "w").close()
    return records.TarSamples(folder / "empty.tar")


# From each kind of source to one without items, given an empty folder, and what the error says of it.
EMPTY: Dict[str, Tuple[Callable[[pathlib.Path], Any], str]] = {
    "list": (lambda folder: [], r"the source is empty: \[\]"),
    "tuple": (lambda folder: (), r"the source is empty: \(\)"),
    "range": (lambda folder: range(0), r"the source is empty: range\(0, 0\)"),
    "array": (lambda folder: np.zeros((0, 3)), r"the source is empty: array\(\[\], shape=\(0, 3\)"),
    "mapped array": (_mapped, r"the source is empty: memmap\(\[\], shape=\(0, 3\)"),
    "no TFRecord files": (lambda folder: records.Records(folder.glob("*.tfrecords")), "<0 records of 0 files>"),
    "TFRecord file": (_records, "<0 records of 1 file>"),
    "no tar files": (lambda folder: records.TarSamples(folder.glob("*.tar")), "<0 samples of 0 tar files>"),
    "tar file": (_tar, "<0 samples of 1 tar file>"),
    "files": (lambda folder: sorted(folder.glob("*.jpg")), r"the source is empty: \[\]"),
    "iterable": (lambda folder: Countable(0), "the source, a Countable, returned no items"),
    "keys": (lambda folder: {}.keys(), "the source, a dict_keys, returned no items"),
    "generator": (lambda folder: folder.glob("*.jpg"), "the source, a .*, returned no items"),
}


@pytest.mark.parametrize("num_epochs", [None, 1, 2])
@pytest.mark.parametrize("kind", EMPTY)
def test_a_source_without_items_is_an_error_that_says_what_is_empty(
    kind: str, num_epochs: Any, tmp_path: pathlib.Path
) -> None:
    """With a number of epochs the loop used to end without a word."""
    make, says = EMPTY[kind]
    source = make(tmp_path)
    if isinstance(source, Iterator) and num_epochs != 1:
        pytest.skip("refused when the loader is made")
    loader = BackgroundLoader(source, batch_size=4, num_epochs=num_epochs, on_error="skip")
    with pytest.raises(LoadError, match=f"QC603 epoch 0 has no items: .*{says}") as caught:
        lists(loader)
    assert caught.value.code == "QC603"
    assert "test_empty_epochs.py" in str(caught.value)


def no_indices(epoch: int, rng: np.random.Generator) -> Any:
    return []


@pytest.mark.parametrize(
    ("kinds", "says"),
    [
        ({"sampler": []}, "the sampler returned no indices"),
        ({"sampler": no_indices}, "the sampler returned no indices"),
        ({"sampler": no_indices, "workers": "processes"}, "the sampler returned no indices"),
        ({"sampler": [1], "shard": (1, 2)}, r"the sampler returned no indices for shard \(1, 2\)"),
        ({"shard": (6, 7)}, r"shard \(6, 7\) has none of 6 items"),
        ({"weights": np.ones(6), "draws": 2, "shard": (2, 3)}, r"shard \(2, 3\) has none of 2 items"),
        ({"source": [], "sampler": [0]}, r"the source is empty: \[\]"),
        ({"source": Countable(2), "shard": (2, 3)}, r"the source, a Countable, returned no items for shard \(2, 3\)"),
        ({"source": Countable(0), "shuffle": True}, "the source, a Countable, returned no items"),
    ],
)
def test_a_sampler_or_a_shard_without_items_is_one_too(kinds: Any, says: str) -> None:
    kinds = {"source": range(6), "num_workers": 1, **kinds}
    with pytest.raises(LoadError, match=f"QC603 epoch 0 has no items: {says}\n"):
        lists(BackgroundLoader(**kinds, batch_size=4))


def test_a_later_epoch_without_items_is_an_error_after_the_batches_before_it() -> None:
    """A class that returns the same generator each time used to end quietly after one epoch of three."""

    class Spent:
        def __init__(self) -> None:
            self._items = iter(range(5))

        def __iter__(self) -> Iterator[int]:
            return self._items

    def only_first(epoch: int, rng: np.random.Generator) -> Any:
        return range(0 if epoch else 5)

    for kinds in ({"source": Spent()}, {"source": range(5), "sampler": only_first}):
        batches = iter(BackgroundLoader(**kinds, batch_size=2, num_epochs=3))  # type: ignore[arg-type]
        assert [next(batches).tolist(), next(batches).tolist()] == [[0, 1], [2, 3]]
        with pytest.raises(LoadError, match="QC603 epoch 1 has no items: the s"):
            next(batches)


def test_a_source_that_is_filled_before_the_loop_is_not_empty() -> None:
    source: Any = []
    loader = BackgroundLoader(source, batch_size=4)
    source.extend(range(6))
    assert lists(loader) == [[0, 1, 2, 3], [4, 5]]


def test_a_state_at_the_end_of_an_epoch_is_not_one_without_items() -> None:
    for source in (range(4), Countable(4)):
        loader = BackgroundLoader(source, batch_size=4)
        batches = iter(loader)
        next(batches)
        again = BackgroundLoader(source, batch_size=4)
        again.load_state_dict(loader.state_dict())
        assert lists(again) == []


@pytest.mark.parametrize("kind", ["no pairs", "empty list", "folder without images", "folder of empty classes"])
def test_a_list_without_images_is_refused_when_the_loader_is_made(kind: str, tmp_path: pathlib.Path) -> None:
    (tmp_path / "list.txt").write_text("# nothing\n")
    (tmp_path / "classes" / "cat").mkdir(parents=True)
    (tmp_path / "classes" / "cat" / "note.txt").write_text("")
    (tmp_path / "none").mkdir()
    places = {"empty list": "list.txt", "folder without images": "none", "folder of empty classes": "classes"}
    images: Any = tmp_path / places[kind] if kind in places else []
    with pytest.raises(QueueCompatValueError, match=r"QC622 .* contains no image"):
        ImageListLoader(images, crop=4)


def test_a_wrong_root_is_an_error_also_where_images_that_fail_are_skipped(tmp_path: pathlib.Path) -> None:
    pairs = [(f"{number}.png", number) for number in range(3)]
    kinds: Any = dict(crop=4, root=tmp_path / "wrong", batch_size=2, on_error="skip")
    says = r"(?s)QC620 none of the 3 items of epoch 0 .* 3 failed, .*2.png"
    with pytest.raises(LoadError, match=says):
        list(ImageListLoader(pairs, subtract_mean=False, **kinds))
    # Where a mean has to be measured, there is no loader at all.
    with pytest.raises(QueueCompatValueError, match=r"QC622 .* of those that can be read, contains no image") as caught:
        ImageListLoader(pairs, **kinds)
    assert re.search(says, str(caught.value.__cause__))
