"""Images whose heads claim 60,000 x 60,000 pixels: the decoder's error, before memory is taken for them."""

from __future__ import annotations

import io
import pathlib
import struct
import sys
import textwrap
import zlib
from typing import Callable, Dict

import pytest

from tests.forking import Ran, Server

SIDE = 60_000


def _saved(kind: str) -> bytes:
    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (9, 8, 7)).save(buffer, kind)
    return buffer.getvalue()


def _png() -> bytes:
    content = bytearray(_saved("PNG"))
    content[16:24] = struct.pack(">II", SIDE, SIDE)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))  # what follows has the right checksum
    return bytes(content)


def _jpeg() -> bytes:
    content = bytearray(_saved("JPEG"))
    frame = content.index(b"\xff\xc0")
    content[frame + 5 : frame + 9] = struct.pack(">HH", SIDE, SIDE)
    return bytes(content)


def _bmp() -> bytes:
    content = bytearray(_saved("BMP"))
    content[18:26] = struct.pack("<ii", SIDE, SIDE)
    return bytes(content)


def _gif() -> bytes:
    content = bytearray(_saved("GIF"))
    size = struct.pack("<HH", SIDE, SIDE)
    content[6:10] = size
    image = content.index(b"\x2c\x00\x00\x00\x00\x08\x00\x08\x00")
    content[image + 5 : image + 9] = size
    return bytes(content)


IMAGES: Dict[str, Callable[[], bytes]] = {"bmp": _bmp, "gif": _gif, "jpeg": _jpeg, "png": _png}

# The least of them has 10.8 GB of pixels.
PROGRAM = """
    import os, pathlib, resource, sys
    import queuecompat.v1 as tf

    files = tf.train.string_input_producer(["good", "huge"], num_epochs=1, shuffle=False)
    image = tf.image.decode_{kind}(tf.read_file(files.dequeue()))
    batch = tf.train.batch([tf.shape(image)], 1, capacity=1)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        pages = int(pathlib.Path("/proc/self/statm").read_text().split()[0])
        limit = pages * os.sysconf("SC_PAGE_SIZE") + 1200 * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            sess.run(batch)
            sess.run(batch)
        except tf.errors.OpError as error:
            taken = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
            print(type(error).__name__, taken < 300 * 1024, file=sys.stdout, flush=True)
            print(error.message, taken, file=sys.stderr)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux: /proc and limits of memory")
@pytest.mark.parametrize("kind", IMAGES)
def test_an_image_that_says_it_is_huge_is_refused(kind: str, server: Server, tmp_path: pathlib.Path) -> None:
    (tmp_path / "huge").write_bytes(IMAGES[kind]())
    (tmp_path / "good").write_bytes(_saved(kind.upper()))
    done = server.run(["-c", textwrap.dedent(PROGRAM).format(kind=kind)], str(tmp_path))
    assert done[:2] == Ran(0, "InvalidArgumentError True\n", "")[:2], done.err[-2000:]
