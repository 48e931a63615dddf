"""Where code that imports TensorFlow 2 looks for TensorFlow 1's names, and which names it should find there.

TensorFlow creates several modules for one API: ``tf.compat.v1`` is one module until the first ``import
tensorflow.compat.v1`` creates a second, which replaces it as an attribute; ``tensorflow.compat.v2.compat.v1`` is a
third. A library keeps the one that it got. So modules are identified here by their names in ``sys.modules``, not by the
path on which they are reached.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple

import queuecompat.contrib
from queuecompat import image, readers, train

__all__ = ["Api", "api_of", "apis", "dropped", "replaced"]

# TensorFlow 2's functions of these names compute something else: they add in a different order, return floats for
# integers, or compute sizes in float32. Functions that are not listed (random_contrast, random_hue ...) return
# TensorFlow 1's numbers in ``tf.compat.v1``.
_OTHER_NUMBERS = ("per_image_standardization", "resize_image_with_pad")


class Api(NamedTuple):
    """A part of TensorFlow's API.

    Attributes:
      version: 1 for ``tf.compat.v1``, 2 for ``tf``.
      path: the path below that; "" is all of it.
    """

    version: int
    path: str


def api_of(name: str) -> Optional[Api]:
    """Returns the API that the module *name* is; None if it is not a module of TensorFlow."""
    if name != "tensorflow" and not name.startswith("tensorflow."):
        return None
    parts = name.split(".")[1:]
    if parts[:2] == ["_api", "v2"]:
        parts = parts[2:]
    version = 2
    while parts[:1] == ["compat"] and parts[1:2] in (["v1"], ["v2"]):
        version = int(parts[1][1])
        parts = parts[2:]
    return Api(version, ".".join(parts))


def apis() -> Iterator[Tuple[types.ModuleType, Api]]:
    """Yields the modules of TensorFlow's API that have been imported."""
    for name, module in list(sys.modules.items()):
        api = api_of(name) if name.startswith("tensorflow") else None
        if api is not None and isinstance(module, types.ModuleType):
            yield module, api


@functools.cache
def replaced(api: Api) -> Dict[str, Any]:
    """Returns the names in *api* that are to be ours, even where TensorFlow has them."""
    if api == (1, "train"):
        return {name: getattr(train, name) for name in train.__all__}
    if api == (1, ""):
        ours = {name: getattr(readers, name) for name in readers.__all__}
        return {**ours, "contrib": queuecompat.contrib}
    if api == (1, "image"):
        return {name: getattr(image, name) for name in _OTHER_NUMBERS}
    return {}


def dropped(api: Api) -> Dict[str, Any]:
    """Returns names that TensorFlow 1 had in *api* (of TensorFlow 2), to be ours where TensorFlow has none."""
    return replaced(Api(1, api.path)) if api.version == 2 else {}
