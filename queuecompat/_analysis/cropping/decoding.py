"""Replaces ``DecodeJpeg`` and a crop of its output by ops that decode only the cropped window.

Rule 1: The pixels are the same as those of the whole image. The decoder's smooth upsampling of colours reads the
        neighbouring column on each side, so the decoded window is one column larger on both sides and cut afterwards.
        Windows of fewer than ``LEAST_WIDTH`` columns, for which the decoder uses different code, are left alone.
Rule 2: In these cases the program's own ops run and fail or succeed as before: the file has another format, which
        ``DecodeJpeg`` can decode, too; it does not end as a JPEG ends, and so may be truncated; the window is not
        within the image, or is empty.
Rule 3: An image is decoded only once. Its size is read from the file's header.

Limit: if the file is damaged after the window, the decoder's error is not noticed (``window-alone``).
"""

from __future__ import annotations

import functools
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

__all__ = [
    "BEGIN",
    "CONTENTS",
    "CROPPED",
    "DECODED",
    "LEAST_WIDTH",
    "OUTPUT",
    "OUTSIDE",
    "SHAPE",
    "SIZE",
    "SIZES",
    "START",
    "attributes_of",
    "may_decode_window",
    "nodes_of_window",
]

LEAST_WIDTH = 8
_MARGIN = 1
_START, _END = b"\xff\xd8\xff", b"\xff\xd9"
# Names of the tensors that go into the graph and come out of it.
CONTENTS, START, SIZES = "contents", "start", "sizes"
BEGIN, SIZE = "begin", "size"
DECODED, CROPPED, OUTPUT, SHAPE = "decoded", "cropped", "window", "size_of_image"
OUTSIDE = "outside"
_ATTRIBUTES = ("channels", "dct_method", "fancy_upscaling", "try_recover_truncated")


def may_decode_window(decode: Any) -> bool:
    """Whether *decode* is an op that ``nodes_of_window`` can replace."""
    if decode.type != "DecodeJpeg" or decode.get_attr("channels") not in (0, 1, 3):
        return False
    return bool(decode.get_attr("ratio") == 1 and decode.get_attr("acceptable_fraction") == 1.0)


def attributes_of(decode: Any) -> Tuple[Tuple[str, Any], ...]:
    """Returns the attributes of *decode* that decide how it decodes."""
    return tuple((name, decode.get_attr(name)) for name in _ATTRIBUTES)


def nodes_of_window(
    decode: Any, crop: Any, sizes: Sequence[Optional[int]], bounds: Sequence[tf.TensorSpec]
) -> tf.compat.v1.GraphDef:
    """Returns ops that replace *decode* and *crop*, a Slice or StridedSlice of the decoded image.

    Args:
      sizes: the numbers of rows, columns and channels of the window; None: not known; -1: all after the first.
      bounds: specs of the second and third input of *crop*.
    Returns:
      A cached GraphDef; do not change it. Its inputs are the placeholders ``CONTENTS``, ``START`` and ``SIZES`` (the
      last two are the second and third input of *crop*). Its outputs are ``OUTPUT``, the window, and ``SHAPE``, the
      shape of the whole image. ``DECODED`` and ``CROPPED`` are the original ops, which run if the file is not a JPEG.
      ``OUTSIDE`` is the crop that runs, and may fail, if the window is not within the image. ``BEGIN`` and ``SIZE`` are
      what a Slice would take for the window.
    """
    masks = None if crop.type == "Slice" else (crop.get_attr("begin_mask"), crop.get_attr("end_mask"))
    known = tuple(-1 if one is None else one for one in sizes)
    return _nodes(attributes_of(decode), masks, known, tuple(bounds))


# Building these ops takes longer than the rest of moving a crop, and most programs crop in one way only.
@functools.lru_cache(maxsize=64)
def _nodes(
    attributes: Tuple[Tuple[str, Any], ...],
    masks: Optional[Tuple[int, int]],
    sizes: Tuple[int, ...],
    bounds: Tuple[tf.TensorSpec, ...],
) -> tf.compat.v1.GraphDef:
    graph = tf.Graph()
    with graph.as_default():
        contents = tf.compat.v1.placeholder(tf.string, [], CONTENTS)
        given = [tf.compat.v1.placeholder(one.dtype, one.shape, name) for one, name in zip(bounds, (START, SIZES))]
        _Window(dict(attributes), masks, sizes, given).build(contents)
    return graph.as_graph_def()


class _Window:
    """Builds the ops for one kind of decoder and crop.

    Args:
      masks: a StridedSlice's masks of the begins and ends that it is not given; None: the crop is a Slice.
    """

    def __init__(
        self,
        attributes: Dict[str, Any],
        masks: Optional[Tuple[int, int]],
        sizes: Sequence[int],
        bounds: Sequence[tf.Tensor],
    ) -> None:
        self._channels = int(attributes["channels"])
        self._attributes = attributes
        self._masks = masks
        self._sizes = sizes
        self._bounds = bounds

    def build(self, contents: tf.Tensor) -> None:
        is_jpeg = _looks_like_jpeg(contents)
        other, jpeg = _switched(contents, is_jpeg)
        decoded = tf.raw_ops.DecodeJpeg(contents=other, **self._attributes, name=DECODED)
        shape = _merged(tf.shape(decoded), self._shape_in_header(jpeg), SHAPE)
        begin, size = self._begin_and_size(shape)
        count = self._window_size(begin, size, shape)
        end = begin + count
        outside, within = _switched(jpeg, self._fits(begin, count, end, shape))
        whole = tf.raw_ops.DecodeJpeg(contents=outside, **self._attributes, name="whole")
        cut = tf.slice(whole, begin, size, name=OUTSIDE)
        of_jpeg = _merged(cut, self._window(within, begin, count, end, shape))
        _merged(tf.slice(decoded, begin, size, name=CROPPED), of_jpeg, OUTPUT)

    def _begin_and_size(self, shape: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        """Returns the inputs ``begin`` and ``size`` of the Slice that is equivalent to the crop."""
        start, second = (tf.cast(one, tf.int32) for one in self._bounds)
        if self._masks is None:
            return tf.identity(start, BEGIN), tf.identity(second, SIZE)
        length = int(start.shape[0])
        begin = _positions(start, self._masks[0], length, shape, tf.zeros([3], tf.int32))
        end = _positions(second, self._masks[1], length, shape, shape)
        return tf.identity(begin, BEGIN), tf.maximum(end - begin, 0, SIZE)

    def _shape_in_header(self, jpeg: tf.Tensor) -> tf.Tensor:
        """Returns the shape of the whole image according to the file's header: int32 ``[3]``."""
        least = [0, 0, self._channels]
        most = [tf.int32.max, tf.int32.max, self._channels or 3]  # four colour components are decoded to three channels
        found = tf.raw_ops.ExtractJpegShape(contents=jpeg, output_type=tf.int32)
        found.set_shape([3])
        return tf.raw_ops.ClipByValue(t=found, clip_value_min=least, clip_value_max=most)

    def _window_size(self, begin: tf.Tensor, size: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        if min(self._sizes) >= 0:
            return tf.constant(self._sizes, tf.int32)
        return tf.where(size < 0, shape - begin, size)

    def _fits(self, begin: tf.Tensor, count: tf.Tensor, end: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        """Whether the window is not empty, lies within the image, and has all channels."""
        conditions = tf.logical_and(begin >= 0, end <= shape)
        rows, columns, channels = self._sizes
        if rows < 1 or columns < LEAST_WIDTH or channels != self._channels:
            least = [1, LEAST_WIDTH, self._channels]
            if not self._channels:  # all channels of the image
                least = tf.maximum(shape * [0, 0, 1], least)
            conditions = tf.logical_and(conditions, count >= least)
        return tf.reduce_all(conditions)

    def _window(
        self, jpeg: tf.Tensor, begin: tf.Tensor, count: tf.Tensor, end: tf.Tensor, shape: tf.Tensor
    ) -> tf.Tensor:
        margin = np.array([0, _MARGIN if self._attributes["fancy_upscaling"] else 0, 0], np.int32)
        first = tf.maximum(begin - margin, 0)
        last = tf.minimum(end + margin, shape)
        window = tf.gather(tf.concat([first, last - first], 0), [0, 1, 3, 4])
        part = tf.raw_ops.DecodeAndCropJpeg(contents=jpeg, crop_window=window, **self._attributes)
        return tf.slice(part, begin - first, count)


def _positions(given: tf.Tensor, mask: int, length: int, shape: tf.Tensor, otherwise: tf.Tensor) -> tf.Tensor:
    """Returns where a StridedSlice of an image of *shape* begins, or ends, in each dimension.

    Args:
      given: the positions for the first *length* dimensions; negative numbers count from the end.
      mask: has a bit set for each of these dimensions whose given position is to be ignored.
      otherwise: the positions for dimensions that have none.
    """
    is_given = [number < length and not mask >> number & 1 for number in range(3)]
    counted = tf.concat([given, tf.zeros([3 - length], tf.int32)], 0) if length < 3 else given
    counted = tf.minimum(tf.maximum(tf.where(counted < 0, counted + shape, counted), 0), shape)
    return counted if all(is_given) else tf.where(tf.constant(is_given), counted, otherwise)


def _looks_like_jpeg(contents: tf.Tensor) -> tf.Tensor:
    """Whether *contents* begin and end as a JPEG does."""
    last = tf.maximum(tf.strings.length(contents) - len(_END), 0)
    begins = tf.equal(tf.strings.substr(contents, 0, len(_START)), _START)
    return tf.logical_and(begins, tf.equal(tf.strings.substr(contents, last, len(_END)), _END))


def _switched(value: tf.Tensor, condition: tf.Tensor) -> Any:
    """Returns *value* for false and for true *condition*; at run time, only one of the two is computed."""
    parts = tf.raw_ops.Switch(data=value, pred=condition)
    return parts.output_false, parts.output_true


def _merged(otherwise: tf.Tensor, chosen: tf.Tensor, name: Optional[str] = None) -> tf.Tensor:
    return tf.raw_ops.Merge(inputs=[otherwise, chosen], name=name).output
