"""``tf.contrib.learn.preprocessing``: turns words, bytes and categories into numbers, for programs that feed arrays."""

from __future__ import annotations

from queuecompat._lazy import lazily

_MODULES = {
    "categorical": ["CategoricalProcessor"],
    "categorical_vocabulary": ["CategoricalVocabulary"],
    "text": ["ByteProcessor", "TOKENIZER_RE", "VocabularyProcessor", "tokenizer"],
}
_PLACES = {name: f"{__name__}.{module}:{name}" for module, names in _MODULES.items() for name in names}
_PLACES.update((module, f"{__name__}.{module}") for module in _MODULES)

__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazily(__name__, _PLACES, title="tf.contrib.learn.preprocessing")
