"""What an input function of ``tf.contrib.learn`` is called for."""

from __future__ import annotations

__all__ = ["ModeKeys"]


class ModeKeys:
    """``tf.contrib.learn.ModeKeys``.

    Attributes:
      TRAIN: ``"train"``.
      EVAL: ``"eval"``.
      INFER: ``"infer"``.
    """

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"

    @classmethod
    def validate(cls, key: str) -> None:
        """Checks that *key* is one of the three.

        Raises:
          ValueError: it is not.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")
