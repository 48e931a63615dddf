"""Modules that an old ``protoc`` generated (before 3.20): today's protobuf refuses what they call.

Such a module holds its ``.proto`` file in serialized form, which has everything that is in its other lines. From that,
protobuf's own builder makes the same messages, enums and descriptors, as in a module of today's ``protoc``.
"""

from __future__ import annotations

import ast
import types
from typing import Optional, Union

__all__ = ["code_of_old_protos"]

_LINES = """
from google.protobuf import descriptor_pool as _descriptor_pool
from google.protobuf.internal import builder as _builder
DESCRIPTOR = _descriptor_pool.Default().AddSerializedFile({serialized!r})
_builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
_builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, __name__, globals())
"""


def code_of_old_protos(text: bytes, path: str) -> Optional[types.CodeType]:
    """What to run in place of a generated module with this *text*; None of one that is not old."""
    if b"_descriptor.FileDescriptor(" not in text:
        return None
    tree = ast.parse(text, path)
    for number, line in enumerate(tree.body):
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            serialized = _serialized(line.value)
            if serialized is not None:
                # The imports in front are of the files that this one imports.
                tree.body[number:] = ast.parse(_LINES.format(serialized=serialized)).body
                return compile(tree, path, "exec")
    return None


def _serialized(call: ast.Call) -> Optional[bytes]:
    """The bytes that the call ``FileDescriptor(serialized_pb=...)`` has, as such or as characters of Latin-1."""
    for one in call.keywords:
        if one.arg == "serialized_pb":
            value = one.value.args[0] if isinstance(one.value, ast.Call) and one.value.args else one.value
            found: Union[bytes, str, object] = value.value if isinstance(value, ast.Constant) else None
            return found.encode("latin-1") if isinstance(found, str) else found if isinstance(found, bytes) else None
    return None
