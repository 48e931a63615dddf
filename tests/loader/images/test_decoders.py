"""What becomes of every sort of image file, with whichever decoder."""

from __future__ import annotations

import os
import pathlib
import pickle
import struct
import subprocess
import sys
import threading
import tracemalloc
from typing import Callable, Optional

import numpy as np
import pytest

from queuecompat.loader.images import decoders, reading
from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.kinds import kind_of

from .specimens import BROKEN, SOUND, UNDEFINED, encoded, photograph

NAMES = [row.name for row in decoders.DECODERS]


def listed(directory: pathlib.Path, data: bytes) -> ListedImage:
    file = directory / "image"  # no suffix: names do not matter
    file.write_bytes(data)
    return ListedImage(str(file), np.int64(1), "list.txt:3")


@pytest.mark.parametrize("decoder", [None, *NAMES])
@pytest.mark.parametrize("name", SOUND)
def test_every_decoder_returns_the_defined_pixels(tmp_path: pathlib.Path, name: str, decoder: Optional[str]) -> None:
    data, expected = SOUND[name]()
    if decoder is not None and kind_of(data).name not in decoders.DECODERS[NAMES.index(decoder)].kinds:
        with pytest.raises(reading.BadImageError, match="QC626"):
            reading.read_image(listed(tmp_path, data), [decoder])
        return
    image = reading.read_image(listed(tmp_path, data), None if decoder is None else [decoder])
    assert image.dtype == np.uint8
    assert image.shape == expected.shape
    if expected.dtype == np.uint8:
        np.testing.assert_array_equal(image, expected)
    else:
        assert np.abs(image - expected).max() <= 1  # the formula, rounded in whatever way


@pytest.mark.parametrize("decoder", [None, *NAMES])
@pytest.mark.parametrize("name", SOUND)
def test_the_bound_on_pixels_is_the_same_for_every_decoder(
    tmp_path: pathlib.Path, name: str, decoder: Optional[str]
) -> None:
    data, expected = SOUND[name]()
    if decoder is not None and kind_of(data).name not in decoders.DECODERS[NAMES.index(decoder)].kinds:
        return
    names = None if decoder is None else [decoder]
    height, width, _ = expected.shape
    assert reading.read_image(listed(tmp_path, data), names, height * width).shape == expected.shape
    with pytest.raises(reading.BadImageError) as caught:
        reading.read_image(listed(tmp_path, data), names, height * width - 1)
    assert caught.value.code == "QC631"
    assert f"has {height}x{width} pixels, more than max_pixels={height * width - 1}" in str(caught.value)


@pytest.mark.parametrize("decoder", [None, "simplejpeg", "OpenCV", "Pillow"])
def test_a_file_that_claims_a_huge_picture_is_refused_before_memory_is_taken(
    tmp_path: pathlib.Path, decoder: Optional[str]
) -> None:
    """28 kilobytes used to take 774 megabytes, and to become an example."""
    data = encoded(photograph(), "JPEG")
    head = data.index(b"\xff\xc0")
    bomb = data[: head + 5] + struct.pack(">HH", 16000, 16000) + data[head + 9 :]
    before = decoders._scratch(1).base
    tracemalloc.start()
    try:
        with pytest.raises(
            reading.BadImageError, match=r"QC631 .* has 16000x16000 pixels, more than max_pixels=89478485"
        ):
            reading.read_image(listed(tmp_path, bomb), None if decoder is None else [decoder])
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
    assert decoders._scratch(1).base is before


def test_pillows_own_limit_is_reported_as_such(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 100)
    data, _ = SOUND["GIF, animated"]()
    with pytest.raises(reading.BadImageError, match=r"(?s)QC631 .*PIL\.Image\.MAX_IMAGE_PIXELS, too"):
        reading.read_image(listed(tmp_path, data), None, None)


@pytest.mark.parametrize("decoder", [None, *NAMES])
@pytest.mark.parametrize("name", BROKEN)
def test_every_decoder_refuses_what_is_broken(tmp_path: pathlib.Path, name: str, decoder: Optional[str]) -> None:
    data = BROKEN[name]()
    image = listed(tmp_path, data)
    with pytest.raises(reading.BadImageError) as caught:
        reading.read_image(image, None if decoder is None else [decoder])
    can_decode = decoder is None or kind_of(data).name in decoders.DECODERS[NAMES.index(decoder)].kinds
    assert "object at 0x" not in str(caught.value)  # Pillow's name for the bytes
    assert caught.value.code == "QC625" or (not can_decode and caught.value.code == "QC626")
    assert caught.value.path == image.path
    assert image.path in str(caught.value)
    assert "made at:  list.txt:3" in str(caught.value)


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_has_no_one_way_to_8_bits_is_refused(tmp_path: pathlib.Path, name: str) -> None:
    with pytest.raises(reading.BadImageError, match="QC629"):
        reading.read_image(listed(tmp_path, UNDEFINED[name]()))


def test_what_libjpeg_steps_over_is_the_same_with_every_decoder(tmp_path: pathlib.Path) -> None:
    whole = encoded(photograph(), "JPEG")
    image = listed(tmp_path, whole[:1500] + b"\7" * 8 + whole[1508:])
    pictures = [np.array(reading.read_image(image, [name])) for name in NAMES]
    assert not np.array_equal(pictures[0], SOUND["JPEG"]()[1])
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])


@pytest.mark.parametrize(("make", "why"), [(lambda f: None, "No such file"), (lambda f: f.touch(), "is empty")])
def test_a_file_that_is_not_there_is_named(tmp_path: pathlib.Path, make: Callable, why: str) -> None:
    file = tmp_path / "absent.jpg"
    make(file)
    with pytest.raises(reading.BadImageError, match=why) as caught:
        reading.read_image(ListedImage(str(file), 0, "list.txt:3"))
    assert caught.value.code == "QC624"
    assert str(file) in str(caught.value)


def test_the_fastest_installed_decoder_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def first(kind: str) -> Optional[str]:
        row = decoders.decoder_for(kind)
        return None if row is None else row.name

    assert (first("JPEG"), first("PNG"), first("GIF")) == ("simplejpeg", "OpenCV", "Pillow")
    monkeypatch.setattr(decoders, "is_usable", lambda module: module != "simplejpeg")
    assert (first("JPEG"), first("PNG"), first("GIF")) == ("OpenCV", "OpenCV", "Pillow")
    monkeypatch.setattr(decoders, "is_usable", lambda module: module == "PIL")
    assert (first("JPEG"), first("PNG"), first("GIF")) == ("Pillow", "Pillow", "Pillow")
    monkeypatch.setattr(decoders, "is_usable", lambda module: False)
    assert first("JPEG") is None


def test_without_a_decoder_the_error_says_what_to_install(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoders, "is_usable", lambda module: False)
    with pytest.raises(reading.BadImageError, match="pip install simplejpeg or opencv-python-headless or pillow"):
        reading.read_image(listed(tmp_path, SOUND["JPEG"]()[0]))


def test_a_package_that_is_absent_or_cannot_be_imported_is_passed_over(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_decoder.py").write_text("raise ImportError('libGL.so.1: no such file')")
    monkeypatch.syspath_prepend(tmp_path)
    assert decoders.is_usable("PIL")
    assert not decoders.is_usable("no_such_decoder")
    assert not decoders.is_usable("broken_decoder")


@pytest.mark.parametrize(("kind", "imported"), [("JPEG", {"simplejpeg"}), ("GIF", {"PIL"})])
def test_only_the_decoder_that_is_used_is_imported(kind: str, imported: set) -> None:
    code = (
        "import sys, queuecompat.loader.images.decoders as d\n"
        "names = {'simplejpeg', 'cv2', 'PIL', 'tensorflow'}\n"
        "assert not names & set(sys.modules)\n"
        f"d.decoder_for({kind!r})\n"
        f"assert names & set(sys.modules) == {imported!r}"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_two_threads_do_not_share_the_memory_of_a_picture(tmp_path: pathlib.Path) -> None:
    image = listed(tmp_path, SOUND["JPEG"]()[0])
    mine = reading.read_image(image)
    before = mine.copy()
    theirs = []

    def black() -> None:
        (tmp_path / "black").write_bytes(encoded(np.zeros((64, 80, 3), np.uint8), "JPEG"))
        theirs.append(reading.read_image(image._replace(path=str(tmp_path / "black"))))

    thread = threading.Thread(target=black)
    thread.start()
    thread.join()
    assert theirs[0].max() == 0
    np.testing.assert_array_equal(mine, before)


def test_the_error_comes_whole_out_of_another_process() -> None:
    error = reading.bad_image(ListedImage("a.jpg", 0, "list.txt:3"), "QC624", why="it is empty")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.path, again.code) == (str(error), "a.jpg", "QC624")


@pytest.mark.parametrize("name", ["JPEG", "PNG", "GIF", "large"])
def test_a_file_system_may_return_a_few_bytes_at_a_time(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """One read has mostly all bytes. A file that seems to end early is read again, to its end, before that is told."""
    # "large" takes several reads anyway.
    picture = np.random.default_rng(1).integers(0, 256, (300, 300, 3), np.uint8) if name == "large" else photograph()
    data = encoded(picture, "PNG" if name == "large" else name)
    whole = reading.read_image(listed(tmp_path, data)).copy()
    read = os.read
    monkeypatch.setattr(os, "read", lambda file, count: read(file, min(count, 700)))
    np.testing.assert_array_equal(reading.read_image(listed(tmp_path, data)), whole)
    with pytest.raises(reading.BadImageError, match=r"QC62[45]"):
        reading.read_image(listed(tmp_path, data[:-200]))
