"""Modules that an old ``protoc`` (before 3.20) generated: today's protobuf refuses the calls in them.

Such a module contains its ``.proto`` file in serialized form, which is sufficient to recreate everything else in it.
From that, protobuf's own builder makes the same messages, enums and descriptors, as in a module from today's
``protoc``.
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
    """Returns the code to run in place of a generated module with this *text*; None if the module is not an old one."""
    if b"_descriptor.FileDescriptor(" not in text:
        return None
    tree = ast.parse(text, path)
    for number, line in enumerate(tree.body):
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            serialized = _serialized(line.value)
            if serialized is not None:
                # The imports before this line are kept: they are of the ``.proto`` files that this one imports.
                tree.body[number:] = ast.parse(_LINES.format(serialized=serialized)).body
                return compile(tree, path, "exec")
    return None


def _serialized(call: ast.Call) -> Optional[bytes]:
    """Returns the bytes in ``FileDescriptor(serialized_pb=...)``, which may be written as Latin-1 text; else None."""
    for one in call.keywords:
        if one.arg == "serialized_pb":
            value = one.value.args[0] if isinstance(one.value, ast.Call) and one.value.args else one.value
            found: Union[bytes, str, object] = value.value if isinstance(value, ast.Constant) else None
            return found.encode("latin-1") if isinstance(found, str) else found if isinstance(found, bytes) else None
    return None
