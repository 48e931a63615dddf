"""The message ``tensorflow.HParamDef``, in which TF1 stored hyperparameters; no module of TensorFlow 2 has it.

It is described here field by field, in a separate descriptor pool, so that it does not conflict with a program's own
``hparam_pb2``.
"""

from __future__ import annotations

import functools
from typing import Any, Dict, Mapping, Tuple

import six
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

__all__ = ["hparam_def", "message_of"]

_FIELD = descriptor_pb2.FieldDescriptorProto
# name of a type: its protobuf type, and the numbers of the field for one value and of the field for a list
_KINDS = {
    "int64": (_FIELD.TYPE_INT64, 1, 4),
    "float": (_FIELD.TYPE_FLOAT, 2, 5),
    "bytes": (_FIELD.TYPE_BYTES, 3, 6),
    "bool": (_FIELD.TYPE_BOOL, 7, 8),
}
# bool before int, because True is an int.
_OF_PYTHON = ((bool, "bool"), (int, "int64"), ((str, bytes), "bytes"), (float, "float"))


def message_of(values: Mapping[str, Any], types: Mapping[str, Tuple[type, bool]]) -> Any:
    """A ``HParamDef`` of *values*; *types*: see ``HParams``.

    Raises:
      ValueError: a type that the message cannot represent.
    """
    message = hparam_def()()
    for name, value in values.items():
        kind, is_list = types[name]
        field = _kind_name(kind)
        convert = six.ensure_binary if field == "bytes" else (lambda value: value)
        if is_list:
            getattr(message.hparam[name], f"{field}_list").value.extend(convert(v) for v in value)
        else:
            setattr(message.hparam[name], f"{field}_value", convert(value))
    return message


@functools.cache
def hparam_def() -> Any:
    """The class of the message."""
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(_file().SerializeToString())
    descriptor = pool.FindMessageTypeByName("tensorflow.HParamDef")
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)  # protobuf before 4.22


def _kind_name(kind: type) -> str:
    for python, name in _OF_PYTHON:
        if issubclass(kind, python):
            return name
    raise ValueError(f"a HParamDef cannot represent hyperparameters of type {kind.__name__}")


def _file() -> Any:
    file = descriptor_pb2.FileDescriptorProto(
        name="tensorflow/contrib/training/python/training/hparam.proto", package="tensorflow", syntax="proto3"
    )
    message = file.message_type.add(name="HParamDef")
    parameter = message.nested_type.add(name="HParamType")
    parameter.oneof_decl.add(name="kind")
    for name, (kind, one, many) in _KINDS.items():
        content = message.nested_type.add(name=f"{name.capitalize()}List")
        content.field.add(name="value", number=1, type=kind, label=_FIELD.LABEL_REPEATED)
        parameter.field.add(name=f"{name}_value", number=one, type=kind, label=_FIELD.LABEL_OPTIONAL, oneof_index=0)
        _refer(parameter, f"{name}_list", many, content.name, oneof_index=0)
    entry = message.nested_type.add(name="HparamEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, type=_FIELD.TYPE_STRING, label=_FIELD.LABEL_OPTIONAL)
    _refer(entry, "value", 2, "HParamType")
    _refer(message, "hparam", 1, "HparamEntry", label=_FIELD.LABEL_REPEATED)
    return file


def _refer(message: Any, name: str, number: int, other: str, label: int = _FIELD.LABEL_OPTIONAL, **more: Any) -> None:
    """Adds a field that holds a message nested in ``HParamDef``."""
    kind: Dict[str, Any] = {"type": _FIELD.TYPE_MESSAGE, "type_name": f".tensorflow.HParamDef.{other}"}
    message.field.add(name=name, number=number, label=label, **kind, **more)
