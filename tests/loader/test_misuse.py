"""Wrong uses of the loader: each is an error that says so, or does what was meant."""

from __future__ import annotations

import gc
import itertools
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import weakref
from typing import Any, Dict, Iterator, List

import numpy as np
import pytest

from queuecompat import BackgroundLoader
from queuecompat.errors import QueueCompatRuntimeError, QueueCompatTypeError
from tests.loader.sources import LONG, lists

pytestmark = pytest.mark.timeout(120)


def same(item: Any) -> Any:
    return item


def fails(*arguments: Any, **kinds: Any) -> QueueCompatRuntimeError:
    with pytest.raises(QueueCompatRuntimeError) as caught:
        lists(BackgroundLoader(*arguments, **{"batch_size": 1, **kinds}))
    return caught.value


# Examples.


def test_a_masked_array_is_refused_since_its_mask_would_be_lost() -> None:
    problem = fails(range(2), lambda item: {"x": np.ma.masked_array([1, 2], [False, True])})
    assert problem.code == "QC605" and "would lose its mask" in str(problem)


@pytest.mark.parametrize("kind", ["function", "generator"])
def test_an_async_function_is_refused(kind: str) -> None:
    async def load(item: int) -> int:
        return item

    async def load_several(item: int) -> Any:
        yield item

    with pytest.raises(QueueCompatTypeError, match=r"QC601.*an async function"):
        BackgroundLoader(range(2), load if kind == "function" else load_several, batch_size=1)


def test_a_number_that_is_none_is_in_no_bucket() -> None:
    kinds: Dict[str, Any] = {"bucket_by": same, "bucket_boundaries": [1.5], "batch_size": 2}
    problem = fails([1.0, float("nan")], **kinds)
    assert problem.code == "QC605" and problem.index == 1  # type: ignore[attr-defined]
    infinite = [1.0, float("inf"), -float("inf"), 2.0]
    assert lists(BackgroundLoader(infinite, **kinds)) == [[1.0, -float("inf")], [float("inf"), 2.0]]


def test_a_subclass_of_array_is_an_array_in_a_batch() -> None:
    class Marked(np.ndarray):
        pass

    (batch,) = BackgroundLoader(range(2), lambda item: np.full(3, item).view(Marked), batch_size=2)
    assert type(batch) is np.ndarray and batch[:, 0].tolist() == [0, 1]


@pytest.mark.parametrize("raised", [StopIteration, GeneratorExit, SystemExit, KeyboardInterrupt])
def test_any_exception_of_load_fails_its_item_and_does_not_end_the_data(raised: Any) -> None:
    def load(item: int) -> int:
        if item == 2:
            raise raised
        return item

    problem = fails(range(4), load)
    assert problem.code == "QC605" and problem.index == 2  # type: ignore[attr-defined]


# Sources and samplers.


def test_a_generator_that_raises_is_reported_after_the_examples_it_yielded() -> None:
    def source() -> Iterator[int]:
        yield 1
        yield 2
        raise KeyError("three")

    got: List[Any] = []
    with pytest.raises(QueueCompatRuntimeError, match=r"QC606.*KeyError: 'three'"):
        for batch in BackgroundLoader(source(), same, batch_size=1):
            got += batch.tolist()
    assert got == [1, 2]


class Indices:
    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.count))


def test_a_sampler_may_have_another_length_in_each_epoch() -> None:
    sampler = Indices(3)
    loader = BackgroundLoader(range(10), batch_size=2, sampler=sampler)
    assert lists(loader) == [[0, 1], [2]]
    sampler.count = 5
    assert len(loader) == 3
    assert lists(loader) == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.int32])
def test_a_sampler_may_have_numpys_integers(kind: Any) -> None:
    assert lists(BackgroundLoader(range(10), batch_size=2, sampler=np.array([3, 1, 2], kind))) == [[3, 1], [2]]
    assert lists(BackgroundLoader(range(10), batch_size=2, sampler=[kind(7), np.array(5, kind)])) == [[7, 5]]


def test_a_source_that_grows_is_whole_in_the_next_epoch_but_not_under_weights() -> None:
    source = list(range(4))
    plain = BackgroundLoader(source, batch_size=2, shuffle=True)
    weighted = BackgroundLoader(source, batch_size=2, weights=[1, 2, 3, 4])
    lists(plain), lists(weighted)
    source += [4, 5]
    assert sorted(itertools.chain.from_iterable(lists(plain))) == [0, 1, 2, 3, 4, 5]
    with pytest.raises(QueueCompatRuntimeError, match="4 weights"):
        lists(weighted)


def test_a_source_that_shrinks_within_an_epoch_is_an_error_of_the_items_that_are_gone() -> None:
    source = list(range(60))
    got = []
    with pytest.raises(QueueCompatRuntimeError, match=r"QC605.*item 20 .*IndexError"):
        for batch in BackgroundLoader(source, batch_size=2, num_workers=1, capacity=4):
            got += batch.tolist()
            del source[20:]
    assert got == list(range(20))


def test_a_padded_bucket_is_resumed_at_every_batch_also_where_some_end_empty() -> None:
    kinds: Dict[str, Any] = {
        "batch_size": 3,
        "pad_to": (None,),
        "bucket_by": len,
        "bucket_boundaries": [3, 6, 100],
        "shuffle": True,
        "seed": 5,
        "num_epochs": 2,
    }

    def load(item: int) -> np.ndarray:
        return np.full(item % 9, item)

    whole = lists(BackgroundLoader(range(31), load, **kinds))
    for taken in range(1, len(whole), 2):
        loader = BackgroundLoader(range(31), load, **kinds)
        batches = iter(loader)
        for _ in range(taken):
            next(batches)
        state = loader.state_dict()
        batches.close()
        resumed = BackgroundLoader(range(31), load, num_workers=3, **kinds)
        resumed.load_state_dict(state)
        assert lists(resumed) == whole[taken:]


# Several at once, and the end.


def test_one_iteration_may_be_shared_by_threads() -> None:
    batches = iter(BackgroundLoader(range(1000), batch_size=1, num_workers=2))
    got: List[int] = []

    def take() -> None:
        for batch in batches:
            got.append(int(batch[0]))

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert sorted(got) == list(range(1000))


def test_loaders_may_be_used_inside_of_load() -> None:
    def load(item: int) -> int:
        return item + sum(int(batch.sum()) for batch in BackgroundLoader(range(3), batch_size=2, num_workers=1))

    assert lists(BackgroundLoader(range(4), load, batch_size=2, num_workers=2)) == [[3, 4], [5, 6]]


@pytest.mark.parametrize("where", ["load", "on_epoch_end", "a finaliser"])
def test_a_loader_that_is_closed_from_within_says_so(where: str) -> None:
    def end(number: int) -> None:
        if number == 5:
            loader.close()

    class Owner:
        pass

    def load(item: int) -> int:
        if where == "load":
            end(item)
        return item

    owner = Owner()
    kinds: Dict[str, Any] = {"num_epochs": 100, "on_epoch_end": end} if where == "on_epoch_end" else {}
    loader = BackgroundLoader(range(100), load, batch_size=1, num_workers=2, **kinds)
    weakref.finalize(owner, loader.close)
    before = threading.active_count()
    with pytest.raises(QueueCompatRuntimeError, match="QC602"):
        for number, _batch in enumerate(loader):
            if number == 5 and where == "a finaliser":
                del owner
                gc.collect()
    assert threading.active_count() <= before


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_an_object_that_closes_its_loader_when_the_program_ends_says_nothing(
    tmp_path: pathlib.Path, workers: str
) -> None:
    program = f"""
        import sys
        from queuecompat import BackgroundLoader

        class Owner:
            def __init__(self):
                self.loader = BackgroundLoader(range(1000), abs, batch_size=1, workers={workers!r}, num_workers=1)
                self.batches = iter(self.loader)
                next(self.batches)

            def __del__(self):
                self.loader.close()

        if __name__ == "__main__":
            sys.owner = Owner()
            print("end")
        """
    assert run(tmp_path, program) == "end\n"


@pytest.mark.skipif(sys.platform != "linux", reason="file names of any bytes")
def test_names_that_are_no_text_in_this_locale_reach_workers_of_both_kinds(tmp_path: pathlib.Path) -> None:
    program = """
        import os
        from queuecompat import BackgroundLoader

        if __name__ == "__main__":
            with open(b"\\xff\\xe9", "wb") as file:
                file.write(b"four")
            names = [name for name in os.listdir(".") if not name.endswith(".py")]
            for workers in ("threads", "processes"):
                for batch in BackgroundLoader(names, os.path.getsize, batch_size=1, workers=workers, num_workers=1):
                    print(batch.tolist())
        """
    places = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert run(tmp_path, program, **places) == "[4]\n[4]\n"


def run(folder: pathlib.Path, program: str, **places: str) -> str:
    file = folder / "program.py"
    file.write_text(textwrap.dedent(program))
    root = str(pathlib.Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(file)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **places},
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout
