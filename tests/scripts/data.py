"""The data that the programs train on: some hundred examples of each kind, made by NumPy.

``python tests/scripts/data.py FOLDER`` writes all of it. What is in the files follows from the seeds
below alone, under TensorFlow 1.15 and 2.x; only JPEG bytes are the encoder's own affair.

Rule 1: classes can be told apart, so that a program sees its loss fall.
Rule 2: files of one kind have unequal sizes. Equal ones would hide a reader that drops the rest of one.
Rule 3: the test reads nothing else: no download, no scikit-learn.
"""

from __future__ import annotations

import os
import sys
import wave
from typing import Any, Dict, Iterator, Tuple

import numpy as np
import tensorflow.compat.v1 as tf

SEED = 2017
FLOWERS = {"daisy": (255, 250, 220), "rose": (200, 20, 60), "tulip": (240, 130, 30)}


def _folder(*parts: str) -> str:
    path = os.path.join(*parts)
    os.makedirs(path, exist_ok=True)
    return path


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _encoded(images: Dict[str, np.ndarray]) -> Dict[str, bytes]:
    """JPEG or PNG files of uint8 images ``[height, width, channels]``, by the ends of their names."""
    with tf.Graph().as_default(), tf.Session() as session:
        picture = tf.placeholder(tf.uint8, [None, None, None])
        formats = {".jpg": tf.image.encode_jpeg(picture, quality=95), ".png": tf.image.encode_png(picture)}
        return {
            name: session.run(formats[os.path.splitext(name)[1]], {picture: image}) for name, image in images.items()
        }


def _pictures(random: np.random.RandomState, labels: np.ndarray, shape: Tuple[int, ...]) -> np.ndarray:
    """Noise around one pattern a label: uint8 ``[len(labels), *shape]``."""
    patterns = random.randint(40, 216, size=(labels.max() + 1, *shape))
    noise = random.randint(-40, 40, size=(len(labels), *shape))
    return (patterns[labels] + noise).astype(np.uint8)


def _example(**features: Any) -> tf.train.Example:
    return tf.train.Example(features=tf.train.Features(feature={name: _feature(f) for name, f in features.items()}))


def _feature(value: Any) -> tf.train.Feature:
    if isinstance(value, bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=np.atleast_1d(value)))


def _write_records(path: str, protos: Iterator[Any]) -> None:
    with tf.python_io.TFRecordWriter(path) as writer:
        for proto in protos:
            # A proto map has no order of its own; without this, bytes vary between runs.
            writer.write(proto.SerializeToString(deterministic=True))


def cifar(folder: str) -> None:
    """``cifar/*.bin``: a label byte and 3 x 32 x 32 bytes, depth first."""
    folder, random = _folder(folder, "cifar"), np.random.RandomState(SEED)
    sizes = {"data_batch_1.bin": 60, "data_batch_2.bin": 110, "data_batch_3.bin": 30, "test_batch.bin": 50}
    labels = random.permutation(np.arange(sum(sizes.values())) % 10)
    rows = np.concatenate([labels[:, None], _pictures(random, labels, (3072,))], 1).astype(np.uint8)
    start = 0
    for name, size in sizes.items():
        _write(os.path.join(folder, name), rows[start : start + size].tobytes())
        start += size


def digits(folder: str) -> None:
    """``digits/*.tfrecords``: 28 x 28 grey pictures under 'image_raw', 'label', as MNIST's converter wrote them."""
    folder, random = _folder(folder, "digits"), np.random.RandomState(SEED + 1)
    sizes = {"train.tfrecords": 330, "validation.tfrecords": 70}
    labels = random.permutation(np.arange(sum(sizes.values())) % 10)
    images = _pictures(random, labels, (784,))
    rows = iter(zip(images, labels))
    for name, size in sizes.items():
        _write_records(
            os.path.join(folder, name),
            (_example(image_raw=image.tobytes(), label=label) for image, label in (next(rows) for _ in range(size))),
        )


def flowers(folder: str) -> None:
    """``flowers/<kind>/*.jpg`` of many sizes, and the same pictures as ``flowers_{train,validation}_*.tfrecord``."""
    folder, random = _folder(folder, "flowers"), np.random.RandomState(SEED + 2)
    pictures, labels = {}, {}
    for label, (kind, colour) in enumerate(sorted(FLOWERS.items())):
        _folder(folder, kind)
        for number in range(20 + 7 * label):
            shape = (random.randint(20, 48), random.randint(20, 48), 3)
            name = os.path.join(kind, f"{number:03}.jpg")
            pictures[name] = np.clip(np.array(colour) + random.randint(-30, 30, size=shape), 0, 255).astype(np.uint8)
            labels[name] = label
    encoded = _encoded(pictures)
    for name, content in encoded.items():
        _write(os.path.join(folder, name), content)
    names = [name for name in sorted(encoded)]
    random.shuffle(names)
    shards = {"train_00000-of-00003": 30, "train_00001-of-00003": 8, "train_00002-of-00003": 25, "validation": 18}
    assert sum(shards.values()) == len(names)
    rest = iter(names)
    for shard, size in shards.items():
        _write_records(
            os.path.join(folder, f"flowers_{shard}.tfrecord"),
            (_flower(encoded[name], pictures[name], labels[name]) for name in (next(rest) for _ in range(size))),
        )


def _flower(encoded: bytes, picture: np.ndarray, label: int) -> tf.train.Example:
    features = {"image/encoded": encoded, "image/format": b"jpeg", "image/class/label": label}
    return _example(**features, **{"image/height": picture.shape[0], "image/width": picture.shape[1]})


def streets(folder: str) -> None:
    """``streets/train.txt``: lines of a picture and its mask: classes 0 to 2, and 255 for no class."""
    folder, random = _folder(folder, "streets"), np.random.RandomState(SEED + 3)
    _folder(folder, "images"), _folder(folder, "masks")
    colours = np.array([(120, 120, 130), (40, 130, 50), (90, 150, 220)])
    pictures, lines = {}, []
    for number in range(24):
        height, width = random.randint(36, 72, size=2)
        mask = np.zeros((height, width), np.uint8)
        mask[: random.randint(8, 16)] = 2
        mask[:, : random.randint(8, 16)] = 1
        image = np.clip(colours[mask] + random.randint(-25, 25, size=(height, width, 3)), 0, 255)
        mask[-2:] = 255
        names = f"images/{number:02}.jpg", f"masks/{number:02}.png"
        pictures[names[0]], pictures[names[1]] = image.astype(np.uint8), mask[..., None]
        lines.append("/{} /{}\n".format(*names))
    for name, content in _encoded(pictures).items():
        _write(os.path.join(folder, name), content)
    _write(os.path.join(folder, "train.txt"), "".join(lines).encode())


def houses(folder: str) -> None:
    """``houses/part-*.csv``: a header, then rooms, age, district, price; some ages are missing."""
    folder, random = _folder(folder, "houses"), np.random.RandomState(SEED + 4)
    for part, size in enumerate((70, 25, 45)):
        lines = ["rooms,age,district,price"]
        for _ in range(size):
            rooms, age, district = random.randint(1, 7), random.randint(0, 90), random.choice(["harbour", "hill"])
            price = 30 * rooms - 0.5 * age + (40 if district == "hill" else 0) + random.randint(-5, 6)
            lines.append("{},{},{},{:.1f}".format(rooms, "" if random.rand() < 0.1 else age, district, price))
        _write(os.path.join(folder, f"part-{part}.csv"), ("\n".join(lines) + "\n").encode())


def words(folder: str) -> None:
    """``words/ptb.train.txt``: sentences in which a word says much about the next one."""
    folder, random = _folder(folder, "words"), np.random.RandomState(SEED + 5)
    vocabulary = np.array(["the", "a", "market", "share", "bank", "rose", "fell", "N", "million", "of", "and"])
    following = random.dirichlet(np.full(len(vocabulary), 0.2), size=len(vocabulary))
    lines = []
    for _ in range(90):
        word, sentence = random.randint(len(vocabulary)), []
        for _ in range(random.randint(4, 15)):
            sentence.append(vocabulary[word])
            word = random.choice(len(vocabulary), p=following[word])
        lines.append(" " + " ".join(sentence) + " \n")
    _write(os.path.join(folder, "ptb.train.txt"), "".join(lines).encode())


def voices(folder: str) -> None:
    """``voices/p<speaker>_<number>.wav``: 16-bit tones of 200 to 700 samples, 4000 a second."""
    folder, random = _folder(folder, "voices"), np.random.RandomState(SEED + 6)
    for speaker, pitch in ((225, 110), (226, 180), (227, 260)):
        for number in range(1, 5):
            time = np.arange(random.randint(200, 700)) / 4000
            # Whole numbers before the file: no two machines round a sine differently then.
            samples = np.round(8000 * np.sin(2 * np.pi * pitch * time)).astype("<i2")
            with wave.open(os.path.join(folder, f"p{speaker}_{number:03}.wav"), "wb") as file:
                file.setnchannels(1)
                file.setsampwidth(2)
                file.setframerate(4000)
                file.writeframes(samples.tobytes())


def faces(folder: str) -> None:
    """``faces/<person>/<person>_<number>.png``: 24 x 24 pictures, a different number of each person."""
    folder, random = _folder(folder, "faces"), np.random.RandomState(SEED + 7)
    counts = {"Ada": 9, "Blaise": 4, "Carl": 12, "Emmy": 7, "Grace": 16}
    labels = np.repeat(np.arange(len(counts)), list(counts.values()))
    images = _pictures(random, labels, (24, 24, 3))
    names = [f"{person}/{person}_{n:04}.png" for person, count in counts.items() for n in range(1, count + 1)]
    for person in counts:
        _folder(folder, person)
    for name, content in _encoded(dict(zip(names, images))).items():
        _write(os.path.join(folder, name), content)


def reviews(folder: str) -> None:
    """``reviews/*.tfrecords``: SequenceExamples of 1 to 24 'tokens' and a 'label' that the tokens decide."""
    folder, random = _folder(folder, "reviews"), np.random.RandomState(SEED + 8)
    for name, size in (("train-0.tfrecords", 90), ("train-1.tfrecords", 45)):
        lengths = random.randint(1, 25, size=size)
        _write_records(os.path.join(folder, name), (_review(random.randint(1, 50, size=length)) for length in lengths))


def _review(tokens: np.ndarray) -> tf.train.SequenceExample:
    context = tf.train.Features(feature={"label": _feature(int(tokens.mean() > 25))})
    steps = tf.train.FeatureList(feature=[_feature(token) for token in tokens])
    return tf.train.SequenceExample(
        context=context, feature_lists=tf.train.FeatureLists(feature_list={"tokens": steps})
    )


def write_all(folder: str) -> None:
    for write in (cifar, digits, flowers, streets, houses, words, voices, faces, reviews):
        write(folder)


if __name__ == "__main__":
    write_all(sys.argv[1])
