"""Mean 0 and deviation 1 for every image, with the bits of TF 1.15.5.

A sum of floats depends on its order, and TensorFlow 2.x adds in a different order than 1.15 did. The order of 1.15 was
that of Eigen on eight lanes (its packages need AVX, so there was no other):

1. Element *i* goes to lane ``i % 8``; each lane adds its elements from first to last. The remaining elements, fewer
   than eight, are also added from first to last.
2. The lanes are folded: 8 to 4, 4 to 2, 2 to 1. The sum of the remaining elements is added to the result.
3. More than 8192 elements are split in two at a multiple of eight, and each part is split again in the same way; the
   sums of the parts are added pairwise.

This order is built from two ops. ``BiasAddGrad`` adds columns from first to last, whatever the version and the number
of threads (observed on 2.12 and 2.21), and a sum of two numbers has only one order. Other ops that add in this order
(cumsum, segment sums) take ten to thirty times as long.
"""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._analysis.known_calls import remember_call
from queuecompat.image._forms import WITH_A_FRACTION, known_sides, rank_of

__all__ = ["per_image_standardization", "per_image_whitening"]

LANES = 8
LARGEST_PART = 8192  # elements

Mean = Callable[[tf.Tensor], tf.Tensor]


def per_image_standardization(image: Any) -> tf.Tensor:
    """Each image minus its mean, divided by its standard deviation, or by ``1 / sqrt(elements)`` if that is larger.

    Args:
      image: ``[..., height, width, channels]``. Integers are scaled to [0, 1] first.
    Returns:
      The same shape and the same dtype, as in TF 1.15: of an integer image, integers (from 0 to the maximum, with
      the negative half clipped). ``tf.cast(image, tf.float32)`` first, as TF1's programs did, keeps everything.
    Raises:
      ValueError: fewer than 3 dimensions.
    Differs from TF1: The last bit may differ if the graph does not know the size, in float16, on a GPU, in batches of
      eight or more images (TF1's square root of these depended on the processor), in batches of images of more than
      8192 elements if that is no multiple of eight, and for single images of more than about 200,000 elements, where
      TF1's own last bit depended on the number of cores.
    Source: TF 1.15.5 ``python/ops/image_ops_impl.py``, and its sums as run.
    """
    rank = rank_of(image)
    if rank is not None and rank < 3:
        raise ValueError(
            f"per_image_standardization: the image has shape {np.shape(image)}; it needs height, width and channels, "
            "so add a channel to a grey image: image[..., tf.newaxis]"
        )
    with tf.name_scope("per_image_standardization"):
        given = tf.convert_to_tensor(image, name="image")
        image = given
        if given.dtype not in WITH_A_FRACTION:
            image = tf.image.convert_image_dtype(given, tf.float32)
        known: Optional[int] = image.shape[-3:].num_elements() if image.shape.rank is not None else None
        if known and image.dtype == tf.float32:
            result = _standardized(tf.reshape(image, [-1, known]), _mean_of_rows, known)
            result = tf.reshape(result, tf.shape(image))
            if known <= LARGEST_PART and known % LANES == 0 and given is image and not tf.executing_eagerly():
                remember_call("standardized", given, result, tuple(given.shape.as_list()[-3:]))
        else:
            result = _standardized(image, _mean_of_images, tf.reduce_prod(tf.shape(image)[-3:]))
        result.set_shape(given.shape)
        return tf.image.convert_image_dtype(result, given.dtype, saturate=True)


def per_image_whitening(image: Any) -> tf.Tensor:
    """``per_image_standardization`` under its name before TensorFlow 1.0.

    Args:
      image: ``[..., height, width, channels]``, of any number type; converted to float32 without scaling.
    Returns:
      The same shape, float32.
    Raises:
      ValueError: fewer than 3 dimensions.
    Differs from TF1: Batches are accepted. The numbers are those of TF 1.15's ``per_image_standardization``; before
      TF 1.0 the deviation was the root of ``mean(x^2) - mean(x)^2``, which loses bits.
    Source: TensorFlow 0.12.
    """
    return per_image_standardization(tf.cast(image, tf.float32))


def _standardized(image: tf.Tensor, mean_of: Mean, elements: Any) -> tf.Tensor:
    centred = image - mean_of(image)
    deviation = tf.sqrt(mean_of(tf.square(centred)))
    # Not rsqrt, which is an approximation; a square root and a division are always rounded in the same way.
    least = 1.0 / tf.sqrt(tf.cast(elements, image.dtype))
    return centred / tf.maximum(deviation, least)


def _elements(rows: tf.Tensor) -> int:
    elements = known_sides(rows)[1]
    assert elements, "an order is known only for a known number of elements"
    return elements


def _mean_of_images(images: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(images, axis=[-1, -2, -3], keepdims=True)


def _mean_of_rows(rows: tf.Tensor) -> tf.Tensor:
    """``[n, elements]`` to ``[n, 1]``."""
    # The graph optimiser would turn a plain division by a constant into a product, which is rounded differently.
    return tf.math.divide_no_nan(_sum_of_rows(rows)[:, tf.newaxis], float(_elements(rows)))


def _sum_of_rows(rows: tf.Tensor) -> tf.Tensor:
    """``[n, elements]`` to ``[n]``, each row added in the order of TF 1.15."""
    elements = _elements(rows)
    whole = elements // LANES * LANES
    if whole:
        sums = _fold(_lane_sums(rows[:, :whole], _parts(0, elements)), halves=True)
    if whole < elements:
        rest = tf.cumsum(rows[:, whole:], axis=1)[:, -1:]
        # The rest belongs to the last part that is not empty. Adding it to the last part of all has the same result,
        # since all parts after that one are empty.
        sums = tf.concat([sums[:, :-1], sums[:, -1:] + rest], 1) if whole else rest
    return _fold(sums, halves=False)


def _lane_sums(rows: tf.Tensor, parts: List[Tuple[int, int]]) -> tf.Tensor:
    """``[n, whole packets]`` to ``[n, parts, LANES]``: each part's lanes, added from first to last."""
    counts = [length // LANES for _, length in parts]
    if len(set(counts)) == 1:
        packets = tf.reshape(rows, [-1, len(parts), counts[0], LANES])
    else:
        # Parts differ by a packet or two: the shorter ones are filled up with packets of zeros, which add nothing.
        table = tf.reshape(tf.pad(rows, [[0, 0], [0, LANES]]), [-1, sum(counts) + 1, LANES])
        packets = tf.gather(table, _packet_numbers(parts), axis=1)
    columns = tf.reshape(tf.transpose(packets, [2, 0, 1, 3]), [max(counts), -1])
    return tf.reshape(tf.raw_ops.BiasAddGrad(out_backprop=columns), [-1, len(parts), LANES])


def _packet_numbers(parts: List[Tuple[int, int]]) -> np.ndarray:
    """``[parts, longest part]``: the packets of each part, filled up with the number of the packet of zeros."""
    counts = [length // LANES for _, length in parts]
    numbers = np.full((len(parts), max(counts)), sum(counts), np.int32)
    for row, (start, _), count in zip(numbers, parts, counts):
        row[:count] = np.arange(count) + start // LANES
    return numbers


def _parts(start: int, length: int) -> List[Tuple[int, int]]:
    """(start, length) of every part, from first to last. Their number is a power of two; some may be empty."""
    parts = [(start, length)]
    while max(length for _, length in parts) > LARGEST_PART:
        parts = [half for part in parts for half in _halves(*part)]
    return parts


def _halves(start: int, length: int) -> List[Tuple[int, int]]:
    if length <= LARGEST_PART:
        return [(start, length), (start + length, 0)]
    split = -(-(start + -(-length // 2)) // LANES) * LANES
    return [(start, split - start), (split, start + length - split)]


def _fold(tensor: tf.Tensor, *, halves: bool) -> tf.Tensor:
    """The last dimension, a power of two, added pairwise: in each step, its halves or neighbouring elements."""
    *others, last = tensor.shape.as_list()[1:]
    steps = int(last).bit_length() - 1
    tensor = tf.reshape(tensor, [-1, *others, *[2] * steps])
    for step in range(steps):
        tensor = tf.reduce_sum(tensor, axis=step - steps if halves else -1)
    return tensor
