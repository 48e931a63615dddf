"""``tf.contrib.tensorboard.plugins.projector``: TensorBoard's own module; it accepts a ``FileWriter``, as in TF1."""

from __future__ import annotations

import importlib.util

from queuecompat._lazy import lazily, never_there

_NAMES = ("EmbeddingInfo", "EmbeddingMetadata", "ProjectorConfig", "SpriteMetadata", "visualize_embeddings")
_PLACES = {name: f"tensorboard.plugins.projector:{name}" for name in _NAMES}

__all__ = list(_NAMES)


def _absent(name: str) -> str:
    """Returns the reason why *name* is missing: all names are if TensorBoard, which recent TensorFlows do not require,
    is not installed."""
    why = "it is in the package tensorboard (pip install tensorboard), which is not installed"
    return why if name in _PLACES else never_there(name)


_IS_INSTALLED = importlib.util.find_spec("tensorboard") is not None
__getattr__, __dir__ = lazily(__name__, _PLACES if _IS_INSTALLED else {}, _absent)
