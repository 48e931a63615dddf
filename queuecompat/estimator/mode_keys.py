"""``ModeKeys``: the purposes that an input function is called for, as in ``input_fn(mode)``."""

from __future__ import annotations

__all__ = ["ModeKeys"]


class ModeKeys:
    """``tf.estimator.ModeKeys``, for input functions that are used without estimators.

        dataset = queuecompat.as_dataset(input_fn, tf.estimator.ModeKeys.TRAIN)

    Attributes:
      TRAIN: ``"train"``.
      EVAL: ``"eval"``.
      PREDICT: ``"infer"``.
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"
