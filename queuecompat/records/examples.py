"""Parses serialized ``tf.train.Example`` messages without TensorFlow or protobuf.

An example is a message with a map from names to lists of bytes, of floats or of integers.

Rule 1: Unknown fields are skipped, as the format requires; truncated data, or a value of a wrong type, is an error.
"""

from __future__ import annotations

from typing import Dict, List, Union

import numpy as np

from queuecompat.errors import QueueCompatTypeError, QueueCompatValueError, error
from queuecompat.plurals import type_of
from queuecompat.records.wire import BYTES, FOUR_BYTES, VARINT, Field, fields, messages, varint

__all__ = ["parse_example"]


def parse_example(data: Union[bytes, bytearray, memoryview]) -> Dict[str, np.ndarray]:
    """The features of a serialized ``tf.train.Example``.

    Returns:
      A dict from each name to an array ``[values]`` of float32, int64 or (for bytes) objects. A feature without a value
      or without a type is an empty array of objects.
    Raises:
      QueueCompatValueError: QC642, *data* is not such an example.
      QueueCompatTypeError: QC601, *data* is not of bytes.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        needed = "bytes, such as a record of Records; for a string tensor, tensor.numpy()"
        raise error(QueueCompatTypeError, "QC601", argument="data", given=type_of(data), needed=needed)
    data = bytes(data)  # the parts of a message are told from numbers by their type
    try:
        features: Dict[str, np.ndarray] = {}
        for part in messages(data, 1):
            for entry in messages(part, 1):
                name = b"".join(messages(entry, 1)[-1:]).decode("utf-8")
                features[name] = _feature(b"".join(messages(entry, 2)))
        return features
    except (IndexError, ValueError) as problem:
        raise error(QueueCompatValueError, "QC642", size=len(data), why=str(problem)) from problem


def _feature(data: bytes) -> np.ndarray:
    for number, kind, content in fields(data):
        if kind != BYTES or not isinstance(content, bytes):
            continue
        if number == 1:
            values = messages(content, 1)
            out = np.empty(len(values), object)
            out[:] = values
            return out
        if number == 2:
            return np.concatenate([np.zeros(0, np.float32), *map(_floats, fields(content))])
        if number == 3:
            return np.array([value for field in fields(content) for value in _integers(field)], np.int64)
    return np.empty(0, object)


def _floats(field: Field) -> np.ndarray:
    _, kind, content = field
    if kind not in (BYTES, FOUR_BYTES) or not isinstance(content, bytes):
        raise ValueError("a float of another kind")
    return np.frombuffer(content, "<f4").astype(np.float32)


def _integers(field: Field) -> List[int]:
    _, kind, content = field
    if kind == VARINT and isinstance(content, int):
        return [_signed(content)]
    if kind != BYTES or not isinstance(content, bytes):
        raise ValueError("an integer of another kind")
    values, place = [], 0
    while place < len(content):
        value, place = varint(content, place)
        values.append(_signed(value))
    return values


def _signed(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value
