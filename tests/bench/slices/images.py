"""Pipelines that end in images."""

from __future__ import annotations

from typing import Any

from . import files
from .made import made
from .sources import FILE_LIST, TFRECORDS, fixed_length

__all__ = ["IMAGES"]

CIFAR_SIDE, CIFAR_CROP = 32, 24  # pixels
FACE_SIDE = 160
SEGMENTED_SIDE = 129
SKETCH_SIDE = 40
PAIR_SIDE = 64
NOISE = 100  # numbers


def _cifar(tf: Any, record: Any) -> list[Any]:
    """As the CIFAR-10 tutorial: a byte for the label, then planes of colours."""
    values = tf.decode_raw(record, tf.uint8)
    label = tf.cast(tf.strided_slice(values, [0], [1]), tf.int32)
    planes = tf.reshape(tf.strided_slice(values, [1], [1 + CIFAR_SIDE**2 * 3]), [3, CIFAR_SIDE, CIFAR_SIDE])
    image = tf.cast(tf.transpose(planes, [1, 2, 0]), tf.float32)
    image = tf.random_crop(image, [CIFAR_CROP, CIFAR_CROP, 3])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=63)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8)
    image = tf.image.per_image_standardization(image)
    label.set_shape([1])
    return [image, label]


def _segmented(tf: Any, record: Any) -> list[Any]:
    """As DeepLab: image and mask are scaled by one random number, padded, cropped at one place and mirrored alike."""
    features = {name: tf.FixedLenFeature([], tf.string) for name in ("image", "segmentation")}
    parsed = tf.parse_single_example(record, features)
    image = tf.cast(tf.image.decode_jpeg(parsed["image"], 3), tf.float32)
    mask = tf.cast(tf.image.decode_png(parsed["segmentation"], 1), tf.float32)
    scale = tf.random_uniform([], 0.75, 1.5)
    size = tf.cast(tf.cast(tf.shape(image)[:2], tf.float32) * scale, tf.int32)
    image = tf.image.resize_bilinear(image[None], size, align_corners=True)[0] - 127.5
    mask = tf.image.resize_nearest_neighbor(mask[None], size, align_corners=True)[0] - 255.0
    both = tf.concat([image, mask], 2)
    height, width = tf.shape(both)[0], tf.shape(both)[1]
    both = tf.image.pad_to_bounding_box(
        both, 0, 0, tf.maximum(height, SEGMENTED_SIDE), tf.maximum(width, SEGMENTED_SIDE)
    )
    both = tf.random_crop(both, [SEGMENTED_SIDE, SEGMENTED_SIDE, 4])
    both = tf.image.random_flip_left_right(both)
    return [both[:, :, :3] + 127.5, tf.cast(both[:, :, 3:] + 255.0, tf.int32)]


def _face(tf: Any, given: Any) -> list[Any]:
    """As facenet: a file, a random crop, perhaps its mirror image, whitened by constants."""
    name, label = given
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    image = tf.random_crop(image, [FACE_SIDE, FACE_SIDE, 3])
    image = tf.image.random_flip_left_right(image)
    image.set_shape((FACE_SIDE, FACE_SIDE, 3))
    return [(tf.cast(image, tf.float32) - 127.5) / 128.0, label]


def _pair(tf: Any, record: Any) -> list[Any]:
    """As pix2pix: the two halves of one picture, enlarged and cropped at one place."""
    parsed = tf.parse_single_example(record, {"image": tf.FixedLenFeature([], tf.string)})
    picture = tf.image.convert_image_dtype(tf.image.decode_png(parsed["image"], 3), tf.float32)
    picture = tf.reshape(picture, [PAIR_SIDE, 2 * PAIR_SIDE, 3])
    halves = [picture[:, :PAIR_SIDE], picture[:, PAIR_SIDE:]]
    enlarged = [tf.image.resize_images(half * 2 - 1, [PAIR_SIDE + 8, PAIR_SIDE + 8]) for half in halves]
    both = tf.random_crop(tf.concat(enlarged, 2), [PAIR_SIDE, PAIR_SIDE, 6])
    return [both[:, :, :3], both[:, :, 3:]]


def _sketch(tf: Any, record: Any) -> list[Any]:
    """As the GANs of 2016: decoded, the middle, between -1 and 1, and noise to begin with."""
    parsed = tf.parse_single_example(record, {"image": tf.FixedLenFeature([], tf.string)})
    image = tf.image.decode_png(parsed["image"], 3)
    image.set_shape([48, 48, 3])
    image = tf.image.resize_image_with_crop_or_pad(image, SKETCH_SIDE, SKETCH_SIDE)
    return [tf.cast(image, tf.float32) / 127.5 - 1.0, tf.random_uniform([NOISE], -1.0, 1.0)]


IMAGES = {
    "cifar": made(
        "CIFAR-10 tutorial: crop, flip, brightness, contrast, standardised",
        files.cifar,
        fixed_length(1 + CIFAR_SIDE**2 * 3),
        _cifar,
        count=20_000,
        shuffled=True,
    ),
    "segmentation": made(
        "DeepLab: JPEG and mask, random scale, pad, crop", files.segmented, TFRECORDS, _segmented, count=800
    ),
    "faces": made("facenet: files of PNG, crop, flip, whitened", files.faces, FILE_LIST, _face, count=800),
    "pairs": made("pix2pix: two halves, enlarged, one crop", files.pairs, TFRECORDS, _pair, count=2_000),
    "sketches": made(
        "GAN: small PNG, the middle, -1 to 1", files.sketches, TFRECORDS, _sketch, count=8_000, shuffled=True
    ),
}
