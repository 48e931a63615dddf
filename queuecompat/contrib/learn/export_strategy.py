"""How ``Experiment`` exports a model after an evaluation."""

from __future__ import annotations

import inspect
from typing import Any, Callable, NamedTuple, Optional

import tensorflow.compat.v1 as tf

__all__ = ["ExportStrategy", "make_export_strategy"]


class ExportStrategy(NamedTuple):
    """A function that exports a model, and the name of its folder.

    Args:
      name: the folder, below ``export`` in the folder of the model.
      export_fn: called with the estimator and the folder; if it has arguments of these names, also with
        *checkpoint_path*, *eval_result* and *strip_default_attrs*. Returns the folder of the export.
      strip_default_attrs: for *export_fn*.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/export_strategy.py``.
    """

    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: Optional[bool] = None

    def export(self, estimator: Any, export_path: Any, checkpoint_path: Any = None, eval_result: Any = None) -> Any:
        """Calls ``export_fn`` with the arguments that it has, and returns what it returns.

        Raises:
          ValueError: it has the argument *eval_result* and not *checkpoint_path*.
        """
        accepted = inspect.signature(self.export_fn).parameters
        if "eval_result" in accepted and "checkpoint_path" not in accepted:
            raise ValueError("an export_fn with an argument eval_result must also have one named checkpoint_path")
        known = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        return self.export_fn(estimator, export_path, **{name: known[name] for name in known if name in accepted})


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: Optional[str] = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: Optional[int] = 5,
    strip_default_attrs: Optional[bool] = None,
) -> ExportStrategy:
    """A strategy that writes a SavedModel to the folder ``Servo``.

    Args:
      serving_input_fn: returns a ``tf.estimator.export.ServingInputReceiver``.
      default_output_alternative_key: must be None.
      assets_extra, as_text: as in ``tf.estimator.Estimator.export_savedmodel``.
      exports_to_keep: older exports are deleted; None: all are kept.
      strip_default_attrs: without effect.
    Raises:
      ValueError: when it exports, *default_output_alternative_key* is not None.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/utils/saved_model_export_utils.py``.
    """

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: Any = None) -> Any:
        if default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key must be None for a tf.estimator.Estimator, not "
                f"{default_output_alternative_key!r}"
            )
        written = estimator.export_saved_model(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
        )
        _delete_older(export_dir_base, exports_to_keep)
        return written

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def _delete_older(folder: Any, kept: Optional[int]) -> None:
    """Deletes all but the *kept* newest exports in *folder*; their names are the times of the exports."""
    exports = [name.rstrip("/") for name in tf.gfile.ListDirectory(tf.compat.as_str(folder))]
    exports = sorted((name for name in exports if name.isdigit()), key=int)
    for name in exports[: -kept if kept else None] if kept is not None else []:
        tf.gfile.DeleteRecursively(f"{tf.compat.as_str(folder)}/{name}")
