"""Tar files in WebDataset's layout, as a sequence of samples."""

from __future__ import annotations

import io
import pathlib
import pickle
import tarfile
from typing import Any, List, Tuple

import pytest

import queuecompat
from queuecompat.records import BadRecordError, TarSamples


def written(path: pathlib.Path, files: List[Tuple[str, bytes]], mode: Any = "w", **kinds: Any) -> str:
    with tarfile.open(path, mode, **kinds) as archive:
        for name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return str(path)


def shard(path: pathlib.Path, first: int, count: int, **kinds: Any) -> str:
    files = []
    for number in range(first, first + count):
        files.append((f"train/{number:04}.jpg", b"image %d" % number * number))
        files.append((f"train/{number:04}.seg.png", b"mask"))
        files.append((f"train/{number:04}.cls", b"%d" % (number % 3)))
    return written(path, files, **kinds)


def sample(number: int) -> Any:
    image = b"image %d" % number * number
    return {"__key__": f"train/{number:04}", "jpg": image, "seg.png": b"mask", "cls": b"%d" % (number % 3)}


@pytest.mark.parametrize("format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_samples_of_several_shards_are_one_sequence(tmp_path: pathlib.Path, format: int) -> None:
    shards = [shard(tmp_path / "0.tar", 0, 4, format=format), shard(tmp_path / "1.tar", 4, 3, format=format)]
    samples = TarSamples(shards)
    assert len(samples) == 7
    assert list(samples) == [sample(number) for number in range(7)]
    assert [samples[-1], *samples[2:4]] == [sample(6), sample(2), sample(3)]
    assert pickle.loads(pickle.dumps(samples))[5] == sample(5)
    with pytest.raises(IndexError):
        samples[7]


@pytest.mark.parametrize("workers", ["threads", "processes"])
def test_a_loader_shuffles_all_shards_and_resumes(tmp_path: pathlib.Path, workers: str) -> None:
    samples = TarSamples([shard(tmp_path / "0.tar", 0, 6), shard(tmp_path / "1.tar", 6, 6)])
    kinds: Any = dict(batch_size=2, shuffle=True, seed=1, workers=workers, num_workers=1)
    with queuecompat.BackgroundLoader(samples, **kinds) as loader:
        keys = []
        for batch in loader:
            keys.append(batch["__key__"].tolist())
            if len(keys) == 2:
                state = loader.state_dict()
        loader.load_state_dict(state)
        assert [batch["__key__"].tolist() for batch in loader] == keys[2:]
    assert sorted(key for batch in keys for key in batch) == [f"train/{number:04}" for number in range(12)]


def test_folders_and_files_without_an_ending_are_no_samples(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        folder = tarfile.TarInfo("train.d")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
    written(
        path,
        [("README", b"x"), ("a/.hidden", b"x"), ("a.b/1.txt", b"one"), ("a.b/" + 120 * "n" + ".txt", b"long")],
        "a",
    )
    assert [(one["__key__"], one["txt"]) for one in TarSamples(path)] == [
        ("a.b/1", b"one"),
        ("a.b/" + 120 * "n", b"long"),
    ]
    assert len(TarSamples(written(tmp_path / "empty.tar", []))) == 0


def test_two_files_of_one_ending_are_an_error(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path / "a.tar", [("a.txt", b"1"), ("a.txt", b"2")])
    with pytest.raises(BadRecordError, match=r"QC641 .*the sample 'a' has two files of the ending 'txt'"):
        TarSamples(path)


def test_a_compressed_tar_file_is_called_so(tmp_path: pathlib.Path) -> None:
    for mode in ("w:gz", "w:bz2", "w:xz"):
        with pytest.raises(BadRecordError, match=r"QC641 .*compressed"):
            TarSamples(written(tmp_path / "a.tar", [("a.txt", b"1")], mode))


@pytest.mark.parametrize("size", [100, 700, 1500, 1600])
def test_what_is_not_a_whole_tar_file_is_an_error(tmp_path: pathlib.Path, size: int) -> None:
    path = pathlib.Path(written(tmp_path / "a.tar", [("a.txt", 1000 * b"1"), ("b.txt", 1000 * b"2")]))
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(BadRecordError, match=r"QC641 .*not a whole tar file"):
        TarSamples(path)


def test_a_damaged_header_is_not_the_end_of_the_file(tmp_path: pathlib.Path) -> None:
    """The samples after it used to be missing without a word."""
    path = pathlib.Path(written(tmp_path / "a.tar", [("a.txt", b"1"), ("b.txt", b"2"), ("c.txt", b"3")]))
    content = bytearray(path.read_bytes())
    content[1024 + 3] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadRecordError, match=r"QC641 .*not a whole tar file"):
        TarSamples(path)


def test_a_tar_file_that_becomes_shorter_is_reported(tmp_path: pathlib.Path) -> None:
    path = pathlib.Path(written(tmp_path / "a.tar", [("a.txt", 1000 * b"1")]))
    samples = TarSamples(path)
    path.write_bytes(path.read_bytes()[:800])
    with pytest.raises(BadRecordError, match=r"QC641 .*has become shorter"):
        samples[0]


def test_a_file_that_was_cut_between_two_members_is_refused(tmp_path: pathlib.Path) -> None:
    """Its last sample would lack parts."""
    path = tmp_path / "0.tar"
    shard(path, 0, 4, format=tarfile.USTAR_FORMAT)
    with tarfile.open(path) as archive:
        begin = archive.getmembers()[5].offset
    path.write_bytes(path.read_bytes()[:begin])
    with pytest.raises(BadRecordError, match=r"QC641 .*0.tar.*without an end-of-archive mark"):
        TarSamples([str(path)])
