"""``slim.tfexample_decoder``: decodes ``tf.train.Example`` records to items.

Each item has a handler, which names the features that it needs and computes the tensor of the item from theirs.
All of this builds ordinary ops, so decoding after a reader is compiled with the pipeline.

Source of all: TF 1.15.5 ``contrib/slim/python/slim/data/tfexample_decoder.py``.
"""

from __future__ import annotations

import abc
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import tensorflow as tf

from queuecompat.contrib.slim.data_decoder import DataDecoder

__all__ = [
    "BackupHandler",
    "BoundingBox",
    "Image",
    "ItemHandler",
    "ItemHandlerCallback",
    "LookupTensor",
    "SparseTensor",
    "TFExampleDecoder",
    "Tensor",
]

Features = Dict[str, Any]  # the tensor (or tf.SparseTensor) of each feature, by its key

# The features of a bounding box, in the order of its columns.
BOX_KEYS = ("ymin", "xmin", "ymax", "xmax")


class ItemHandler(abc.ABC):
    """Base class: computes one item.

    Args:
      keys: the features that it needs: a list or tuple of keys, or one.
    Differs from TF1: None known.
    """

    def __init__(self, keys: Any) -> None:
        self._keys = keys if isinstance(keys, (tuple, list)) else [keys]

    @property
    def keys(self) -> Any:
        """The features that it needs."""
        return self._keys

    @abc.abstractmethod
    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        """The item, from the tensors of the features that it needs."""


class ItemHandlerCallback(ItemHandler):
    """An item that is computed by a function.

    Args:
      keys: as ``ItemHandler``.
      func: takes the dict of tensors and returns the item.
    Differs from TF1: None known.
    """

    def __init__(self, keys: Any, func: Callable[[Features], Any]) -> None:
        super().__init__(keys)
        self._func = func

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        return self._func(keys_to_tensors)


class BoundingBox(ItemHandler):
    """Boxes, ``[boxes, 4]``, from four vectors, which may be sparse.

    Args:
      keys: keys of the four columns of the item; None: ymin, xmin, ymax, xmax.
      prefix: put before each key.
    Raises:
      ValueError: not four keys.
    Differs from TF1: None known.
    """

    def __init__(self, keys: Optional[Sequence[str]] = None, prefix: str = "") -> None:
        keys = list(BOX_KEYS) if keys is None else keys
        if len(keys) != len(BOX_KEYS):
            raise ValueError(f"BoundingBox expects 4 keys but got {len(keys)}")
        super().__init__([prefix + key for key in keys])

    def tensors_to_item(self, keys_to_tensors: Features) -> tf.Tensor:
        sides = [keys_to_tensors[key] for key in self._keys]
        sides = [side.values if isinstance(side, tf.SparseTensor) else side for side in sides]
        return tf.transpose(tf.stack(sides))


class Tensor(ItemHandler):
    """A feature, optionally reshaped. A sparse one becomes dense.

    Args:
      tensor_key: the feature.
      shape_keys: a key, or a list of keys, of the features that contain the shape; their values are concatenated.
      shape: a fixed shape instead.
      default_value: value of the missing elements of a sparse feature.
    Raises:
      ValueError: both *shape_keys* and *shape* are given.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        tensor_key: str,
        shape_keys: Union[str, List[str], None] = None,
        shape: Any = None,
        default_value: Any = 0,
    ) -> None:
        if shape_keys and shape is not None:
            raise ValueError("Cannot specify both shape_keys and shape parameters.")
        if shape_keys and not isinstance(shape_keys, list):
            shape_keys = [shape_keys]
        self._tensor_key = tensor_key
        self._shape_keys: List[str] = list(shape_keys or [])
        self._shape = shape
        self._default_value = default_value
        super().__init__([tensor_key, *self._shape_keys])

    def tensors_to_item(self, keys_to_tensors: Features) -> tf.Tensor:
        tensor, shape = keys_to_tensors[self._tensor_key], self._shape
        if self._shape_keys:
            shape = tf.reshape(tf.stack([_dense(keys_to_tensors[key]) for key in self._shape_keys]), [-1])
        if not isinstance(tensor, tf.SparseTensor):
            return tensor if shape is None else tf.reshape(tensor, shape)
        if shape is not None:
            tensor = tf.sparse.reshape(tensor, shape)
        return tf.sparse.to_dense(tensor, self._default_value)


class LookupTensor(Tensor):
    """The values of a lookup table for a feature.

    Args:
      table: a ``tf.lookup`` table.
      tensor_key, shape_keys, shape, default_value: as ``Tensor``.
    Raises:
      ValueError: both *shape_keys* and *shape* are given.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        tensor_key: str,
        table: Any,
        shape_keys: Union[str, List[str], None] = None,
        shape: Any = None,
        default_value: Any = "",
    ) -> None:
        self._table = table
        super().__init__(tensor_key, shape_keys, shape, default_value)

    def tensors_to_item(self, keys_to_tensors: Features) -> tf.Tensor:
        return self._table.lookup(super().tensors_to_item(keys_to_tensors))


class BackupHandler(ItemHandler):
    """The item of a handler, or of a backup handler if the item has no elements.

    Args:
      handler: the first handler.
      backup: the backup handler.
    Raises:
      ValueError: one of them is not an ``ItemHandler``.
    Differs from TF1: None known.
    """

    def __init__(self, handler: ItemHandler, backup: ItemHandler) -> None:
        for role, given in (("Primary", handler), ("Backup", backup)):
            if not isinstance(given, ItemHandler):
                raise ValueError(f"{role} handler is of type {type(given)} instead of ItemHandler")
        self._handler = handler
        self._backup = backup
        super().__init__(handler.keys + backup.keys)

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        item = self._handler.tensors_to_item(keys_to_tensors)
        has_none = tf.equal(tf.reduce_prod(tf.shape(item)), 0)
        return tf.cond(has_none, lambda: self._backup.tensors_to_item(keys_to_tensors), lambda: item)


class SparseTensor(ItemHandler):
    """A SparseTensor whose last column of indices is one feature and whose values are another.

    Args:
      indices_key: None or "": "indices".
      values_key: None or "": "values".
      shape_key: the feature that contains the dense shape; it may be sparse.
      shape: the dense shape, if there is no *shape_key*; None: that of the indices.
      densify: whether to return a dense tensor.
      default_value: value of the missing elements of the dense tensor.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        indices_key: Optional[str] = None,
        values_key: Optional[str] = None,
        shape_key: Optional[str] = None,
        shape: Any = None,
        densify: bool = False,
        default_value: Any = 0,
    ) -> None:
        self._indices_key = indices_key or "indices"
        self._values_key = values_key or "values"
        self._shape_key = shape_key
        self._shape = shape
        self._densify = densify
        self._default_value = default_value
        super().__init__([self._indices_key, self._values_key] + ([shape_key] if shape_key else []))

    def tensors_to_item(self, keys_to_tensors: Features) -> Any:
        indices, values = keys_to_tensors[self._indices_key], keys_to_tensors[self._values_key]
        column = tf.reshape(tf.cast(indices.values, tf.int64), [-1, 1])
        placed = tf.concat([indices.indices[:, :-1], column], axis=1)
        item = tf.SparseTensor(placed, values.values, self._dense_shape(keys_to_tensors, indices))
        return tf.sparse.to_dense(item, self._default_value) if self._densify else item

    def _dense_shape(self, keys_to_tensors: Features, indices: tf.SparseTensor) -> Any:
        if self._shape_key:
            return _dense(keys_to_tensors[self._shape_key])
        return self._shape or indices.dense_shape


class Image(ItemHandler):
    """A decoded image: JPEG, PNG, GIF or BMP, detected from the content, or raw bytes if its format is "raw".

    Args:
      image_key: the feature with the encoded image; None or "": "image/encoded".
      format_key: the feature with the format, of which "raw" and "RAW" matter; None or "": "image/format".
      shape: ``[height, width, channels]``, if all images have the same; required for raw images.
      channels: number of channels of the item.
      dtype: dtype of the item. Encoded images are decoded to uint8 and cast.
      repeated: whether the feature is a vector of images, all of one size.
      dct_method: for JPEGs, "INTEGER_FAST" or "INTEGER_ACCURATE"; "": the default of the library.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        image_key: Optional[str] = None,
        format_key: Optional[str] = None,
        shape: Any = None,
        channels: Optional[int] = 3,
        dtype: tf.DType = tf.uint8,
        repeated: bool = False,
        dct_method: str = "",
    ) -> None:
        self._image_key = image_key or "image/encoded"
        self._format_key = format_key or "image/format"
        self._shape = shape
        self._channels = channels
        self._dtype = dtype
        self._repeated = repeated
        self._dct_method = dct_method
        super().__init__([self._image_key, self._format_key])

    def tensors_to_item(self, keys_to_tensors: Features) -> tf.Tensor:
        encoded, kind = keys_to_tensors[self._image_key], keys_to_tensors[self._format_key]
        if not self._repeated:
            return self._decoded(encoded, kind)
        return tf.compat.v1.map_fn(lambda one: self._decoded(one, kind), encoded, fn_output_signature=self._dtype)

    def _decoded(self, encoded: tf.Tensor, kind: tf.Tensor) -> tf.Tensor:
        def as_jpeg() -> tf.Tensor:
            pixels = tf.io.decode_jpeg(encoded, channels=self._channels, dct_method=self._dct_method)
            return tf.cast(pixels, self._dtype)

        def as_any() -> tf.Tensor:
            return tf.cast(tf.io.decode_image(encoded, channels=self._channels), self._dtype)

        is_raw = tf.logical_or(tf.equal(kind, "raw"), tf.equal(kind, "RAW"))
        image = tf.case(
            [(is_raw, lambda: tf.io.decode_raw(encoded, out_type=self._dtype))],
            # Only JPEG has a dct_method.
            default=lambda: tf.cond(tf.io.is_jpeg(encoded), as_jpeg, as_any),
            exclusive=True,
        )
        image.set_shape([None, None, self._channels])
        return image if self._shape is None else tf.reshape(image, self._shape)


class TFExampleDecoder(DataDecoder):
    """Decodes serialised ``tf.train.Example`` records.

    Args:
      keys_to_features: dict from the key of each feature to its ``tf.FixedLenFeature``, ``tf.VarLenFeature`` ...
      items_to_handlers: dict from the name of each item to its ``ItemHandler``.
    Differs from TF1: None known.
    """

    def __init__(self, keys_to_features: Dict[str, Any], items_to_handlers: Dict[str, ItemHandler]) -> None:
        self._keys_to_features = keys_to_features
        self._items_to_handlers = items_to_handlers

    def list_items(self) -> List[str]:
        """The names of all items."""
        return list(self._items_to_handlers)

    def decode(self, serialized_example: Any, items: Optional[Sequence[str]] = None) -> List[Any]:
        """The tensors of *items*.

        Args:
          serialized_example: scalar string, one record.
          items: names of items; None or none: all.
        Raises:
          KeyError: there is no such item, or no such feature for its handler.
          tf.errors.InvalidArgumentError: at run time, the record is no Example or lacks a feature.
        """
        example = tf.compat.v1.parse_single_example(serialized_example, self._keys_to_features)
        for key in sorted(self._keys_to_features):
            feature = self._keys_to_features[key]
            if isinstance(feature, tf.io.FixedLenFeature):
                example[key] = tf.reshape(example[key], feature.shape)
        decoded = []
        for item in items or self._items_to_handlers:
            handler = self._items_to_handlers[item]
            decoded.append(handler.tensors_to_item({key: example[key] for key in handler.keys}))
        return decoded


def _dense(feature: Any) -> tf.Tensor:
    return tf.sparse.to_dense(feature) if isinstance(feature, tf.SparseTensor) else feature
