"""What a cache keeps (``cache_store``): only whole segments, of files that did not change, within the budget."""

from __future__ import annotations

import errno
import os
import pathlib
import time
from typing import Any, Iterator, List

import numpy as np
import pytest

from queuecompat._plan.cache_files import Folder
from queuecompat._plan.cache_store import Block, Memory, Status, Store


def block(value: int, rows: int = 3) -> Block:
    strings = np.array([b"s%d" % value] * rows, object)
    return [np.full([rows, 2], value, np.int32), strings]


def nothing() -> Block:
    return [one[:0] for one in block(0)]


def store(storage: Any, most: int = 10**6) -> Store:
    return Store(storage, most, lambda path: (7, 9), os.fsdecode, getattr(storage, "used", 0))


@pytest.fixture(params=["memory", "folder"])
def storage(request: Any, tmp_path: pathlib.Path) -> Iterator[Any]:
    yield Memory() if request.param == "memory" else Folder(str(tmp_path), "key")


def same(one: Block, other: Block) -> bool:
    return all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(one, other))


def fill(cache: Store, blocks: List[Block], name: bytes = b"a") -> bytes:
    (identity,), _ = cache.look_up([name])
    for number, one in enumerate([*blocks, nothing()]):
        cache.keep(identity, number, one)
    return identity


def test_a_segment_is_found_when_its_end_was_seen_and_not_before(storage: Any) -> None:
    cache = store(storage)
    (identity,), counts = cache.look_up([b"a"])
    assert counts == [-1]
    cache.keep(identity, 0, block(1))
    cache.keep(identity, 1, block(2, 1))
    assert cache.look_up([b"a"])[1] == [-1]
    cache.keep(identity, 2, nothing())
    assert cache.look_up([b"a"]) == ([identity], [2])
    assert same(cache.block([identity], 0), block(1))
    assert same(cache.block([identity], 1), block(2, 1))


def test_an_attempt_goes_on_where_another_was_cut(storage: Any) -> None:
    cache = store(storage)
    (identity,), _ = cache.look_up([b"a"])
    cache.keep(identity, 0, block(1))
    cache.keep(identity, 1, block(2))  # and is cut here
    fill(cache, [block(1), block(2), block(3)])
    assert cache.look_up([b"a"])[1] == [3]
    assert same(cache.block([identity], 2), block(3))


def test_an_attempt_that_misses_blocks_never_ends_a_segment(storage: Any) -> None:
    cache = store(storage)
    (identity,), _ = cache.look_up([b"a"])
    cache.keep(identity, 1, block(2))
    cache.keep(identity, 2, nothing())
    assert cache.look_up([b"a"])[1] == [-1]


def test_a_file_without_elements_is_kept_as_such(storage: Any) -> None:
    cache = store(storage)
    fill(cache, [])
    assert cache.look_up([b"a"])[1] == [0]


def test_what_needs_more_than_the_budget_is_let_go_and_not_tried_again(storage: Any) -> None:
    cache = store(storage, most=200)
    identity = fill(cache, [block(1), block(2), block(3)])
    assert cache.look_up([b"a"])[1] == [-1]
    status = cache.status()
    assert (status.used, status.segments, status.left_out) == (0, 0, 1)
    cache.keep(identity, 0, block(1))
    assert cache.status().used == 0
    fill(cache, [block(1)], b"small")
    assert cache.look_up([b"small"])[1] == [1]


def test_elements_of_several_files_are_fetched_at_once(storage: Any) -> None:
    cache = store(storage)
    identities = [fill(cache, [block(value, 1)], b"%d" % value) for value in (1, 2)]
    assert cache.look_up([b"1", b"3", b"2"])[1] == [1, -1, 1]
    found = cache.block(identities, 0)
    assert found[0].tolist() == [[1, 1], [2, 2]]
    assert found[1].tolist() == [b"s1", b"s2"]


def test_what_is_kept_is_no_view_of_what_was_passed() -> None:
    cache, passed = store(Memory()), block(1)
    identity = fill(cache, [passed])
    passed[0][:] = 5
    assert same(cache.block([identity], 0), block(1))


def test_a_file_that_cannot_be_looked_at_is_not_kept(storage: Any) -> None:
    def missing(path: str) -> Any:
        raise FileNotFoundError(path)

    cache = Store(storage, 10**6, missing, os.fsdecode)
    assert cache.look_up([b"a"]) == ([b""], [-1])
    cache.keep(b"", 0, block(1))
    assert cache.status().used == 0


def test_two_processes_write_the_same_segment_and_both_read_a_whole_one(tmp_path: pathlib.Path) -> None:
    one, two = store(Folder(str(tmp_path), "key")), store(Folder(str(tmp_path), "key"))
    (identity,), _ = one.look_up([b"a"])
    assert two.look_up([b"a"])[1] == [-1]
    for number, part in enumerate([block(1), block(2)]):
        one.keep(identity, number, part)
        two.keep(identity, number, part)
    one.keep(identity, 2, nothing())
    assert one.look_up([b"a"])[1] == [2]
    assert two.look_up([b"a"])[1] == [2]  # the other's
    two.keep(identity, 2, nothing())
    third = store(Folder(str(tmp_path), "key"))
    assert third.look_up([b"a"])[1] == [2]
    assert same(third.block([identity], 1), block(2))


def test_a_folder_counts_what_is_there_and_clears_what_a_killed_process_left_a_day_ago(tmp_path: pathlib.Path) -> None:
    killed = store(Folder(str(tmp_path), "key"))
    (identity,), _ = killed.look_up([b"a"])
    killed.keep(identity, 0, block(1))
    (unfinished,) = tmp_path.glob("key/*/*.part")
    assert Folder(str(tmp_path), "key").used == unfinished.stat().st_size  # it may be under way
    os.utime(unfinished, (0, time.time() - 25 * 3600))
    assert Folder(str(tmp_path), "key").used == 0
    assert not unfinished.exists()


def test_a_segment_of_another_file_with_the_same_digest_is_not_taken(tmp_path: pathlib.Path) -> None:
    folder = Folder(str(tmp_path), "key")
    identity = fill(store(folder), [block(1)])
    other = Folder(str(tmp_path), "key")
    other._path = lambda asked: Folder._path(other, identity)  # type: ignore[method-assign]
    assert other.blocks(b"7 9 b") is None
    assert other.blocks(identity) == 1


@pytest.mark.parametrize("full_after", [0, 1, 2])
def test_what_a_full_disk_has_no_room_for_is_left_out_and_ends_no_run(
    full_after: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third thing that is written is the end of the segment."""
    written: List[str] = []
    originals = {name: getattr(Folder, name) for name in ("add", "end")}

    def of(name: str) -> Any:
        def write(self: Folder, *given: Any) -> Any:
            if len(written) == full_after:
                raise OSError(errno.ENOSPC, "No space left on device")
            written.append(name)
            return originals[name](self, *given)

        return write

    for name in originals:
        monkeypatch.setattr(Folder, name, of(name))
    cache = store(Folder(str(tmp_path), "key"))
    identity = fill(cache, [block(1), block(2)])
    assert cache.look_up([b"a"]) == ([identity], [-1])
    assert cache.status() == Status(used=0, most=10**6, segments=0, left_out=1)
    assert not [path for path in tmp_path.glob("**/*") if path.is_file()]
