"""Seeded streams through random image ops: with one thread, TF1's bits are the contract.

Every source outputs seven images per epoch, and batches of four cross the ends of epochs. Each stage of the
augmentation is fetched beside the next, so that a difference shows the op at which it begins.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Optional

import numpy as np

from .harness import Result, collect, gold, temporary_directory
from .records import IMAGE_SHAPE, images, write_images

__all__: list[str] = []

COUNT = 7
FILE_COUNTS = (3, 1, 2, 1)
BATCH = 4
# A little more than three epochs of seven, for the streams that never end.
STEPS_WITHOUT_LIMIT = 6


def _augmented(tf: Any, image: Any) -> Dict[str, Any]:
    """The usual chain, each op with a seed of its own, by the name of what it made."""
    cropped = tf.random_crop(image, [4, 4, 3], seed=11)
    flipped = tf.image.random_flip_left_right(cropped, seed=12)
    brightened = tf.image.random_brightness(flipped, max_delta=63, seed=13)
    contrasted = tf.image.random_contrast(brightened, lower=0.2, upper=1.8, seed=14)
    return {
        "cropped": cropped,
        "flipped": flipped,
        "brightened": brightened,
        "contrasted": contrasted,
    }


def _sliced(tf: Any, num_epochs: Optional[int], shuffle: bool = True) -> Dict[str, Any]:
    image, label = tf.train.slice_input_producer(
        [images(COUNT), np.arange(COUNT)], num_epochs=num_epochs, shuffle=shuffle, seed=2
    )
    return {"image": image, "label": label}


def _record_example(tf: Any, filename_queue: Any) -> Dict[str, Any]:
    _, serialized = tf.TFRecordReader().read(filename_queue)
    features = tf.parse_single_example(
        serialized,
        features={
            "image": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.reshape(tf.decode_raw(features["image"], tf.uint8), IMAGE_SHAPE)
    return {"image": image, "label": features["label"]}


def _rows_of_one_tensor(tf: Any, num_epochs: Optional[int], directory: str) -> Dict[str, Any]:
    (image,) = tf.train.slice_input_producer([images(COUNT)], num_epochs=num_epochs, shuffle=True, seed=1)
    return {"image": image}


def _rows_of_two_tensors(tf: Any, num_epochs: Optional[int], directory: str) -> Dict[str, Any]:
    return _sliced(tf, num_epochs)


def _records_of_files(tf: Any, num_epochs: Optional[int], directory: str) -> Dict[str, Any]:
    filename_queue = tf.train.string_input_producer(
        write_images(tf, directory, FILE_COUNTS), num_epochs=num_epochs, shuffle=True, seed=3
    )
    return _record_example(tf, filename_queue)


def _indices_of_a_range(tf: Any, num_epochs: Optional[int], directory: str) -> Dict[str, Any]:
    index = tf.train.range_input_producer(COUNT, num_epochs=num_epochs, shuffle=True, seed=4).dequeue()
    return {"image": tf.gather(images(COUNT), index), "label": index}


SOURCES = [_rows_of_one_tensor, _rows_of_two_tensors, _records_of_files, _indices_of_a_range]


def _stream_case(source: Callable[..., Dict[str, Any]], num_epochs: Optional[int]) -> None:
    def case(tf: Any) -> Result:
        with temporary_directory() as directory:

            def build() -> Any:
                example = source(tf, num_epochs, directory)
                example.update(_augmented(tf, tf.cast(example.pop("image"), tf.float32)))
                return tf.train.batch(example, batch_size=BATCH, num_threads=1)

            return collect(tf, build, STEPS_WITHOUT_LIMIT if num_epochs is None else None)

    span = "without_an_epoch_limit" if num_epochs is None else "over_three_epochs"
    case.__name__ = f"{source.__name__.strip('_')}_augment_bit_for_bit_{span}"
    gold(case)


for _source in SOURCES:
    for _num_epochs in (3, None):
        _stream_case(_source, _num_epochs)


@gold
def integer_images_augment_bit_for_bit(tf: Any) -> Result:
    """On uint8 the image ops convert, compute, saturate and convert back."""

    def build() -> Any:
        example = _sliced(tf, num_epochs=3)
        example.update(_augmented(tf, example.pop("image")))
        return tf.train.batch(example, batch_size=BATCH)

    return collect(tf, build)


@gold
def a_row_augments_bit_for_bit_without_a_batcher(tf: Any) -> Result:
    """The row itself is run: its random ops draw once for every run."""

    def build() -> Any:
        example = _sliced(tf, num_epochs=3)
        example.update(_augmented(tf, tf.cast(example.pop("image"), tf.float32)))
        return example

    return collect(tf, build)


@gold
def random_ops_after_the_batcher_draw_once_a_batch(tf: Any) -> Result:
    def build() -> Any:
        batch = tf.train.batch(_sliced(tf, num_epochs=3), batch_size=BATCH)
        noise = tf.random_uniform([BATCH, 6, 6, 3], maxval=9, dtype=tf.int32, seed=21)
        batch["noisy"] = tf.cast(batch["image"], tf.int32) + noise
        return batch

    return collect(tf, build)


@gold
def draws_of_every_kind_are_bit_exact(tf: Any) -> Result:
    """Uniform, normal, truncated normal, integers, and two ops that share one seed."""

    def build() -> Any:
        (number,) = tf.train.slice_input_producer([np.arange(5)], num_epochs=3, shuffle=True, seed=5)
        draws = {
            "number": number,
            "uniform": tf.random_uniform([3], seed=31),
            "same_seed": tf.random_uniform([3], seed=31),
            "normal": tf.random_normal([3], seed=32),
            "truncated": tf.truncated_normal([3], seed=33),
            "integers": tf.random_uniform([3], maxval=1000, dtype=tf.int32, seed=34),
            "permutation": tf.random_shuffle(tf.range(6), seed=35),
        }
        return tf.train.batch(draws, batch_size=3)

    return collect(tf, build)


@gold
def rotated_and_recoloured_images_are_bit_exact(tf: Any) -> Result:
    """Random branches, and ops that only move or only recolour pixels."""

    def build() -> Any:
        example = _sliced(tf, num_epochs=3)
        image = tf.image.convert_image_dtype(example["image"], tf.float32)
        saturated = tf.image.random_saturation(image, lower=0.5, upper=1.5, seed=41)
        hued = tf.image.random_hue(image, max_delta=0.2, seed=42)
        upended = tf.image.random_flip_up_down(image, seed=43)
        turns = tf.random_uniform([], maxval=4, dtype=tf.int32, seed=44)
        return tf.train.batch(
            {
                "label": example["label"],
                "saturated": saturated,
                "hued": hued,
                "upended": upended,
                "turned": tf.image.rot90(image, k=turns),
                "standardized": tf.image.per_image_standardization(image),
            },
            batch_size=BATCH,
        )

    return collect(tf, build)


@gold
def two_batchers_in_a_row_keep_the_stream(tf: Any) -> Result:
    """Batches of two, cut into rows again, batched by three."""

    def build() -> Any:
        pair = tf.train.batch(_sliced(tf, num_epochs=3), batch_size=2, name="pairs")
        pair["noise"] = tf.random_uniform([2], seed=51)
        return tf.train.batch(pair, batch_size=3, enqueue_many=True, name="triples")

    return collect(tf, build)


@gold
def many_crops_of_one_image_enter_the_batch_as_rows(tf: Any) -> Result:
    def build() -> Any:
        example = _sliced(tf, num_epochs=3)
        crops = tf.stack([tf.random_crop(example["image"], [4, 4, 3], seed=seed) for seed in (61, 62, 63)])
        labels = tf.fill([3], example["label"])
        return tf.train.batch([crops, labels], batch_size=4, enqueue_many=True)

    return collect(tf, build)
