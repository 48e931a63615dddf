"""The data that the benchmark reads: made once, then reused.

Rule 1: every byte follows from ``SEED`` and the sizes, so two machines read the same data.
Rule 2: a directory with its final name is complete. It is filled under a temporary name and then renamed, so an
        interrupted run leaves nothing that looks finished.
Rule 3: TensorFlow and Pillow are imported inside functions, because the process that only starts the rounds needs
        neither.

The content does not affect the timings of ``records`` and ``arrays`` (noise takes as long to parse as a photograph). It
does affect JPEG decoding, so those files are cut out of real photographs.
"""

from __future__ import annotations

import contextlib
import itertools
import pathlib
import shutil
import tempfile
from collections.abc import Callable, Iterable
from typing import Any, Union

import numpy as np

__all__ = [
    "ARRAY_SIZE",
    "COLUMNS",
    "IMAGE_SIZE",
    "JPEG_SIZE",
    "PHOTOGRAPH_SIZE",
    "SEED",
    "example",
    "feature",
    "filled",
    "make_arrays",
    "make_jpegs",
    "make_lines",
    "make_pngs",
    "make_records",
    "write_records",
]

SEED = 20151109
IMAGE_SIZE = 32  # pixels a side in `records`, as in CIFAR-10
ARRAY_SIZE = 28  # pixels a side in `arrays`, as in MNIST
JPEG_SIZE = (256, 256)  # rows and columns in `jpeg`, as ImageNet is usually stored
PHOTOGRAPH_SIZE = (375, 500)  # the same in `distorted`, as ImageNet's files are on average
COLUMNS = 20  # numbers in a line of `csv`
CLASSES = 10
SHARDS = 5


def write_records(path: Union[str, pathlib.Path], records: Iterable[bytes]) -> None:
    """Write *records* into a new TFRecord file."""
    import tensorflow as tf

    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)


def make_records(data_dir: pathlib.Path, count: int) -> list[str]:
    """Write *count* CIFAR-sized examples in ``SHARDS`` TFRecord files.

    Features: ``image_raw``, the 3,072 bytes of a ``[32, 32, 3]`` uint8 image, and ``label``, int64.

    Returns:
      The names of the files, sorted.
    """

    def fill(directory: pathlib.Path) -> None:
        random = np.random.RandomState(SEED)
        labels = random.randint(0, CLASSES, size=count)
        for shard in range(SHARDS):
            of_shard = labels[shard::SHARDS]
            records = (example(image_raw=random.bytes(IMAGE_SIZE * IMAGE_SIZE * 3), label=one) for one in of_shard)
            write_records(directory / f"{shard}.tfrecord", records)

    return filled(data_dir / f"records-{count}", fill)


def example(**features: Any) -> bytes:
    """A ``tf.Example`` of *features*: bytes, or numbers of any shape, one after the other."""
    import tensorflow as tf

    made = {name: feature(value) for name, value in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=made)).SerializeToString()


def feature(value: Any) -> Any:
    """The ``tf.train.Feature`` of bytes or numbers."""
    import tensorflow as tf

    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    value = np.asarray(value)
    if value.dtype.kind == "f":
        return tf.train.Feature(float_list=tf.train.FloatList(value=value.ravel()))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=value.ravel()))


def make_arrays(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return MNIST-sized uint8 images ``[count, 28, 28]`` and int64 labels ``[count]``."""
    random = np.random.RandomState(SEED)
    images = random.randint(0, 256, size=(count, ARRAY_SIZE, ARRAY_SIZE), dtype=np.uint8)
    return images, random.randint(0, CLASSES, size=count).astype(np.int64)


def make_lines(data_dir: pathlib.Path, count: int) -> list[str]:
    """Write *count* lines of ``COLUMNS`` numbers and a label in ``SHARDS`` files; return their sorted names."""

    def fill(directory: pathlib.Path) -> None:
        random = np.random.RandomState(SEED)
        numbers, labels = random.rand(count, COLUMNS), random.randint(0, CLASSES, size=count)
        lines = [",".join([*(f"{n:.6f}" for n in row), str(label)]) for row, label in zip(numbers, labels)]
        for shard in range(SHARDS):
            (directory / f"{shard}.csv").write_text("".join(f"{line}\n" for line in lines[shard::SHARDS]))

    return filled(data_dir / f"lines-{count}", fill)


def make_pngs(data_dir: pathlib.Path, count: int) -> list[str]:
    """Write *count* examples with a PNG of 28x28 in ``image`` and a ``label``; return the files' sorted names."""

    def fill(directory: pathlib.Path) -> None:
        import io

        from PIL import Image

        def png(image: np.ndarray) -> bytes:
            file = io.BytesIO()
            Image.fromarray(image // 64 * 64).save(file, "png")
            return file.getvalue()

        images, labels = make_arrays(count)
        for shard in range(SHARDS):
            of_shard = zip(images[shard::SHARDS], labels[shard::SHARDS])
            records = (example(image=png(image), label=label) for image, label in of_shard)
            write_records(directory / f"{shard}.tfrecord", records)

    return filled(data_dir / f"pngs-{count}", fill)


def make_jpegs(data_dir: pathlib.Path, count: int, size: tuple[int, int] = JPEG_SIZE) -> tuple[list[str], np.ndarray]:
    """Write *count* JPEG files of *size*, rows and columns, quality 90.

    Each is a tile at a random place of one of the two photographs that scikit-learn ships.

    Returns:
      The names of the files, sorted, and int64 labels ``[count]``: which photograph it was.
    """

    rows, columns = size

    def fill(directory: pathlib.Path) -> None:
        from PIL import Image
        from sklearn.datasets import load_sample_images

        random = np.random.RandomState(SEED)
        photographs = itertools.cycle(load_sample_images().images)
        for number, photograph in zip(range(count), photographs):
            height, width, _ = photograph.shape
            top = random.randint(height - rows + 1)
            left = random.randint(width - columns + 1)
            tile = photograph[top : top + rows, left : left + columns]
            Image.fromarray(tile).save(directory / f"{number:05d}.jpg", quality=90)

    return filled(data_dir / f"jpeg-{rows}-{columns}-{count}", fill), np.arange(count, dtype=np.int64) % 2


def filled(directory: pathlib.Path, fill: Callable[[pathlib.Path], None]) -> list[str]:
    """Fill *directory* unless it is there; return the sorted names of its files."""
    if not directory.exists():
        directory.parent.mkdir(parents=True, exist_ok=True)
        unfinished = pathlib.Path(tempfile.mkdtemp(prefix="unfinished-", dir=directory.parent))
        try:
            fill(unfinished)
            with contextlib.suppress(OSError):  # another process was faster: its files are the same
                unfinished.rename(directory)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    return sorted(str(path) for path in directory.iterdir())
