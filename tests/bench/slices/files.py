"""The data of the twelve pipelines: every byte follows from a seed and the sizes."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable, Iterable

import numpy as np

from ..data import SEED, example, feature, filled, write_records

__all__ = [
    "CLIP",
    "FRAMES",
    "NUMBERS",
    "VOCABULARY",
    "WORDS_OF_A_LINE",
    "audio",
    "captions",
    "cifar",
    "digits",
    "faces",
    "pairs",
    "people",
    "segmented",
    "sentences",
    "series",
    "sketches",
    "videos",
]

SHARDS = 4
CLIP = 4_000  # samples
FRAMES = (20, 128)  # of a video, and the bytes of each
NUMBERS = 100  # in a series
VOCABULARY = 5_000
WORDS_OF_A_LINE = (4, 30)

_Make = Callable[[np.random.RandomState], bytes]


def _sharded(
    name: str, make: _Make, write: Callable[[pathlib.Path, Iterable[bytes]], object]
) -> Callable[[pathlib.Path, int], list[str]]:
    """Files into which *write* writes what *make* makes."""

    def load(data_dir: pathlib.Path, count: int) -> list[str]:
        def fill(folder: pathlib.Path) -> None:
            random = np.random.RandomState(SEED)
            for shard in range(SHARDS):
                write(folder / f"{shard}.data", (make(random) for _ in range(count // SHARDS)))

        return filled(data_dir / f"{name}-{count}", fill)

    return load


def _records(name: str, make: _Make) -> Callable[[pathlib.Path, int], list[str]]:
    """Files of TFRecords, each of which *make* makes."""
    return _sharded(name, make, write_records)


def _plain(name: str, make: _Make) -> Callable[[pathlib.Path, int], list[str]]:
    """Files in which what *make* makes stands one after the other."""
    return _sharded(name, make, lambda path, parts: path.write_bytes(b"".join(parts)))


def _picture(random: np.random.RandomState, height: int, width: int, kind: str = "jpeg") -> bytes:
    """A smooth picture, which takes as many bytes as a photograph of its size does."""
    from PIL import Image

    coarse = Image.fromarray(random.randint(0, 256, (max(2, height // 8), max(2, width // 8), 3), np.uint8))
    file = io.BytesIO()
    coarse.resize((width, height), Image.Resampling.BICUBIC).save(file, kind)
    return file.getvalue()


def _mask(random: np.random.RandomState, height: int, width: int) -> bytes:
    from PIL import Image

    coarse = Image.fromarray(random.randint(0, 21, (height // 16, width // 16), np.uint8))
    file = io.BytesIO()
    coarse.resize((width, height), Image.Resampling.NEAREST).save(file, "png")
    return file.getvalue()


def _word(random: np.random.RandomState) -> str:
    return f"w{int(VOCABULARY * random.rand() ** 2)}"


def _sentence(random: np.random.RandomState) -> bytes:
    return (" ".join(_word(random) for _ in range(random.randint(*WORDS_OF_A_LINE))) + "\n").encode()


def _person(random: np.random.RandomState) -> bytes:
    words = [f"{column}{random.randint(10)}" for column in ("job", "school", "state", "town")]
    numbers = [f"{number:.3f}" for number in random.rand(8) * 100]
    return (",".join([*words, *numbers, str(random.randint(2))]) + "\n").encode()


def _captioned(random: np.random.RandomState) -> bytes:
    import tensorflow as tf

    context = {"image/data": feature(_picture(random, 128, 160))}
    ids = random.randint(0, VOCABULARY, random.randint(6, 20))
    lists = {"image/caption_ids": tf.train.FeatureList(feature=[feature(number) for number in ids])}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()


cifar = _plain("cifar", lambda random: random.bytes(1 + 32 * 32 * 3))
digits = _records("digits", lambda random: example(image_raw=random.bytes(784), label=random.randint(10)))
segmented = _records(
    "segmented", lambda random: example(image=_picture(random, 160, 192), segmentation=_mask(random, 160, 192))
)
pairs = _records("pairs", lambda random: example(image=_picture(random, 64, 128, "png")))
sketches = _records("sketches", lambda random: example(image=_picture(random, 48, 48, "png")))
videos = _records(
    "videos",
    lambda random: example(
        rgb=random.bytes(FRAMES[0] * FRAMES[1]), audio=random.rand(128), labels=random.randint(0, 100, 3)
    ),
)
audio = _records("audio", lambda random: example(samples=random.bytes(2 * CLIP), speaker=random.randint(9)))
series = _records("series", lambda random: example(values=random.rand(NUMBERS), label=random.randint(3)))
captions = _records("captions", _captioned)
sentences = _plain("sentences", _sentence)
people = _plain("people", _person)


def faces(data_dir: pathlib.Path, count: int) -> tuple[list[str], np.ndarray]:
    """Files of pictures of 182x182, and a label for each."""

    def fill(folder: pathlib.Path) -> None:
        random = np.random.RandomState(SEED)
        for number in range(count):
            (folder / f"{number:05d}.png").write_bytes(_picture(random, 182, 182, "png"))

    return filled(data_dir / f"faces-{count}", fill), np.arange(count, dtype=np.int64) % 20
