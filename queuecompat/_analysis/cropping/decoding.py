"""``DecodeJpeg`` and a crop of what comes out, as ops that decode the window of the crop alone.

Rule 1: the pixels are those of the whole image. The decoder's smooth upsampling of colours looks at the column beside
        each: so one column more is decoded on both sides and cut off, and not in windows of fewer than ``LEAST_WIDTH``
        columns, for which the decoder takes another way.
Rule 2: what is no whole JPEG goes through the program's own ops, and fails or not as it did: another format, which
        ``DecodeJpeg`` decodes as well; a file that does not end as a JPEG ends, which may have been cut off; a window
        that is not within the image, or has no pixels.
Rule 3: an image is decoded once. Its size comes from the head of the file.

What it leaves out: damage after the window that makes the decoder give up is not noticed (``window-alone``).
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
# The names of what goes into the graph, and comes out.
CONTENTS, START, SIZES = "contents", "start", "sizes"
BEGIN, SIZE = "begin", "size"
DECODED, CROPPED, OUTPUT, SHAPE = "decoded", "cropped", "window", "size_of_image"
OUTSIDE = "outside"
_ATTRIBUTES = ("channels", "dct_method", "fancy_upscaling", "try_recover_truncated")


def may_decode_window(decode: Any) -> bool:
    """Whether *decode* is an op that ``graph_of_window`` has a form for."""
    if decode.type != "DecodeJpeg" or decode.get_attr("channels") not in (0, 1, 3):
        return False
    return bool(decode.get_attr("ratio") == 1 and decode.get_attr("acceptable_fraction") == 1.0)


def attributes_of(decode: Any) -> Tuple[Tuple[str, Any], ...]:
    """How *decode* decodes."""
    return tuple((name, decode.get_attr(name)) for name in _ATTRIBUTES)


def nodes_of_window(
    decode: Any, crop: Any, sizes: Sequence[Optional[int]], bounds: Sequence[tf.TensorSpec]
) -> tf.compat.v1.GraphDef:
    """The ops for *decode* and *crop*, a Slice or StridedSlice of what comes out of it.

    Args:
      sizes: what is known of the rows, columns and channels of the window; -1: all that come after the first.
      bounds: of the second and third input of *crop*.
    Returns:
      Not to be changed. Placeholders ``CONTENTS``, ``START`` and ``SIZES`` (the second and third input of *crop*) go
      in. ``OUTPUT`` comes out, and ``SHAPE``, that of the whole image. ``DECODED`` and ``CROPPED`` are the ops
      themselves, where the file is no JPEG, and ``OUTSIDE`` crops where the window is not within the image, which may
      fail. ``BEGIN`` and ``SIZE`` are what a Slice takes for the window.
    """
    masks = None if crop.type == "Slice" else (crop.get_attr("begin_mask"), crop.get_attr("end_mask"))
    known = tuple(-1 if one is None else one for one in sizes)
    return _nodes(attributes_of(decode), masks, known, tuple(bounds))


# Building them takes longer than all the rest of moving a crop, and a program crops in one way, mostly.
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
    """Args: *masks*: of a StridedSlice, which begins and ends it is not told; None: the crop is a Slice."""

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
        is_whole = _is_whole(contents)
        other, jpeg = _switched(contents, is_whole)
        decoded = tf.raw_ops.DecodeJpeg(contents=other, **self._attributes, name=DECODED)
        shape = _merged(tf.shape(decoded), self._in_head(jpeg), SHAPE)
        begin, size = self._begin_and_size(shape)
        count = self._counted(begin, size, shape)
        end = begin + count
        outside, within = _switched(jpeg, self._fits(begin, count, end, shape))
        whole = tf.raw_ops.DecodeJpeg(contents=outside, **self._attributes, name="whole")
        cut = tf.slice(whole, begin, size, name=OUTSIDE)
        of_jpeg = _merged(cut, self._window(within, begin, count, end, shape))
        _merged(tf.slice(decoded, begin, size, name=CROPPED), of_jpeg, OUTPUT)

    def _begin_and_size(self, shape: tf.Tensor) -> Tuple[tf.Tensor, tf.Tensor]:
        """The second and third input of the Slice that does what the crop does."""
        start, second = (tf.cast(one, tf.int32) for one in self._bounds)
        if self._masks is None:
            return tf.identity(start, BEGIN), tf.identity(second, SIZE)
        length = int(start.shape[0])
        begin = _places(start, self._masks[0], length, shape, tf.zeros([3], tf.int32))
        end = _places(second, self._masks[1], length, shape, shape)
        return tf.identity(begin, BEGIN), tf.maximum(end - begin, 0, SIZE)

    def _in_head(self, jpeg: tf.Tensor) -> tf.Tensor:
        """What the shape of the whole image is, by the head of the file: int32 ``[3]``."""
        least = [0, 0, self._channels]
        most = [tf.int32.max, tf.int32.max, self._channels or 3]  # four colours come out as three
        found = tf.raw_ops.ExtractJpegShape(contents=jpeg, output_type=tf.int32)
        found.set_shape([3])
        return tf.raw_ops.ClipByValue(t=found, clip_value_min=least, clip_value_max=most)

    def _counted(self, begin: tf.Tensor, size: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        if min(self._sizes) >= 0:
            return tf.constant(self._sizes, tf.int32)
        return tf.where(size < 0, shape - begin, size)

    def _fits(self, begin: tf.Tensor, count: tf.Tensor, end: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        """Whether the window has pixels, is within the image, and takes all channels."""
        conditions = tf.logical_and(begin >= 0, end <= shape)
        rows, columns, channels = self._sizes
        if rows < 1 or columns < LEAST_WIDTH or channels != self._channels:
            least = [1, LEAST_WIDTH, self._channels]
            if not self._channels:  # those of the image
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


def _places(given: tf.Tensor, mask: int, length: int, shape: tf.Tensor, otherwise: tf.Tensor) -> tf.Tensor:
    """Where a StridedSlice of an image of *shape* begins, or ends, in each dimension.

    Args:
      given: what it is told of the first *length* dimensions; negative numbers count from the end.
      mask: which of them it is not told of, bit by bit.
      otherwise: of these, and of the dimensions after them.
    """
    is_given = [number < length and not mask >> number & 1 for number in range(3)]
    counted = tf.concat([given, tf.zeros([3 - length], tf.int32)], 0) if length < 3 else given
    counted = tf.minimum(tf.maximum(tf.where(counted < 0, counted + shape, counted), 0), shape)
    return counted if all(is_given) else tf.where(tf.constant(is_given), counted, otherwise)


def _is_whole(contents: tf.Tensor) -> tf.Tensor:
    """Whether *contents* begin and end as a JPEG does."""
    last = tf.maximum(tf.strings.length(contents) - len(_END), 0)
    begins = tf.equal(tf.strings.substr(contents, 0, len(_START)), _START)
    return tf.logical_and(begins, tf.equal(tf.strings.substr(contents, last, len(_END)), _END))


def _switched(value: tf.Tensor, condition: tf.Tensor) -> Any:
    """*value* where *condition* is false, and where it is true: one of the two is never computed."""
    parts = tf.raw_ops.Switch(data=value, pred=condition)
    return parts.output_false, parts.output_true


def _merged(otherwise: tf.Tensor, chosen: tf.Tensor, name: Optional[str] = None) -> tf.Tensor:
    return tf.raw_ops.Merge(inputs=[otherwise, chosen], name=name).output
