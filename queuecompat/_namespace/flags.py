"""``tf.app.flags.FLAGS`` of a TensorFlow 1 file in a TensorFlow 2 program.

TensorFlow 1 parses the command line when a flag is first read. But in a TensorFlow 2 program the command line belongs
to the program, which may have other arguments or be a notebook. So there, a flag that has not been parsed has its
default value. In a TensorFlow 1 program, ``FLAGS`` is TensorFlow's own.
"""

from __future__ import annotations

from typing import Any, Iterator, List

import tensorflow.compat.v1 as _tf

from queuecompat._namespace import behaviour

__all__ = ["FLAGS"]


class _Defaults:
    """TensorFlow's FLAGS, except that reading a flag does not parse the command line."""

    def __getattr__(self, name: str) -> Any:
        if name in _tf.flags.FLAGS and not _tf.flags.FLAGS.is_parsed():
            return _tf.flags.FLAGS[name].value
        return getattr(_tf.flags.FLAGS, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_tf.flags.FLAGS, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_tf.flags.FLAGS, name)

    def __getitem__(self, name: str) -> Any:
        return _tf.flags.FLAGS[name]

    def __contains__(self, name: str) -> bool:
        return name in _tf.flags.FLAGS

    def __iter__(self) -> Iterator[str]:
        return iter(_tf.flags.FLAGS)

    def __len__(self) -> int:
        return len(_tf.flags.FLAGS)

    def __dir__(self) -> List[str]:
        return dir(_tf.flags.FLAGS)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return _tf.flags.FLAGS(*args, **kwargs)


FLAGS: Any = _tf.flags.FLAGS if behaviour.is_tensorflow_1() else _Defaults()
