"""The modes of ``tf.contrib.learn``: whether a model is trained, evaluated or used for inference."""

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
        """Checks that *key* is one of the three modes.

        Raises:
          ValueError: *key* is not a mode.
        """
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")
