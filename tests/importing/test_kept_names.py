"""Functions that TensorFlow 2 kept: which of the two a call of an input function means."""

from __future__ import annotations

import types
from typing import Any

import pytest

from queuecompat._importing.kept_names import Summaries, either


def squeeze_2(input: Any, axis: Any = None, name: Any = None) -> Any:
    return "TensorFlow 2", input, axis


def squeeze_1(input: Any, axis: Any = None, name: Any = None, squeeze_dims: Any = None) -> Any:
    return "TensorFlow 1", input, axis or squeeze_dims


def both(is_on: bool = True) -> Any:
    return either("squeeze", squeeze_2, lambda: squeeze_1, lambda: is_on)


def test_a_call_that_only_tensorflow_1_takes_is_its_call() -> None:
    assert both()([3], squeeze_dims=[0]) == ("TensorFlow 1", [3], [0])


def test_a_call_that_both_take_is_tensorflow_2s() -> None:
    assert both()([3], axis=[0]) == ("TensorFlow 2", [3], [0])


def test_a_call_that_neither_takes_fails_as_in_tensorflow_2() -> None:
    with pytest.raises(TypeError, match="squeeze_2"):
        both()([3], dims=[0])


def test_what_is_kept_beyond_the_call_is_tensorflow_2s() -> None:
    with pytest.raises(TypeError, match="squeeze_2"):
        both(is_on=False)([3], squeeze_dims=[0])


def test_classes_and_what_tensorflow_1_never_had_stay_what_they_are() -> None:
    def nowhere() -> Any:
        raise AttributeError("it has none")

    assert either("Tensor", dict, lambda: list, lambda: True) is dict
    assert either("squeeze", squeeze_2, nowhere, lambda: True) is squeeze_2
    assert either("squeeze", squeeze_2, lambda: squeeze_2, lambda: True) is squeeze_2


def test_a_name_scope_of_tensorflow_1_takes_the_values() -> None:
    class name_scope:  # noqa: N801 - as TensorFlow calls it
        def __init__(self, name: str) -> None:
            self.name = name

    def old(name: Any, default_name: Any = None, values: Any = None) -> Any:
        return ("TensorFlow 1", name or default_name)

    scope = either("name_scope", name_scope, lambda: old, lambda: True)
    assert scope(None, "crop", [1]) == ("TensorFlow 1", "crop")
    assert scope("crop").name == "crop"


def test_summaries_that_tensorflow_1_takes_are_its_own() -> None:
    kept, old = types.ModuleType("summary"), types.ModuleType("summary")
    vars(kept).update(
        image=lambda name, data, step=None, max_outputs=3: "TensorFlow 2", create_file_writer=lambda logdir: "a writer"
    )
    vars(old).update(image=lambda name, tensor, max_outputs=3: "TensorFlow 1", merge_all=lambda: "merged")
    summary = Summaries(kept, old, lambda: True)
    assert summary.image("images", 3) == "TensorFlow 1"
    assert summary.image("images", 3, step=1) == "TensorFlow 2"
    assert (summary.merge_all(), summary.create_file_writer("here")) == ("merged", "a writer")
