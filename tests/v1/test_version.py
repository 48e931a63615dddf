"""``tf.__version__``: programs choose by it between the names of TensorFlow 1 and 2."""

from __future__ import annotations

import json
import pickle

import pytest
import tensorflow as real

import queuecompat.v1 as tf


def test_the_version_is_that_of_the_names() -> None:
    """It was TensorFlow 2's: programs took their branch for TensorFlow 2, and failed in it."""
    assert tf.__version__ == tf.VERSION == tf.version.VERSION == "1.15.5"
    assert tf.__version__.startswith("1.") and not real.__version__.startswith("1.")


@pytest.mark.parametrize("lower", ["0.12", "1.4.0", "1.9", "1.15", "1.15.0", "1.15.4"])
def test_it_is_ordered_by_its_numbers(lower: str) -> None:
    """``"1.15.5" < "1.4.0"`` as strings."""
    assert lower < tf.__version__ and not lower > tf.__version__
    assert tf.__version__ > lower and tf.__version__ >= lower
    assert not tf.__version__ < lower and not tf.__version__ <= lower


@pytest.mark.parametrize("higher", ["1.15.6", "1.16", "2", "2.0.0", "2.0.0-rc1", "10.1"])
def test_higher_versions_are_higher(higher: str) -> None:
    assert tf.__version__ < higher and tf.__version__ <= higher
    assert not tf.__version__ > higher and not tf.__version__ >= higher


def test_it_is_a_string_in_every_other_way() -> None:
    assert tf.__version__ <= "1.15.5" and tf.__version__ >= "1.15.5"
    assert tf.__version__ < "a" and tf.__version__ > ""
    assert json.dumps(tf.__version__) == '"1.15.5"' and {"1.15.5": 1}[tf.__version__] == 1
    assert type(pickle.loads(pickle.dumps(tf.__version__))) is str
    with pytest.raises(TypeError):
        tf.__version__ < 1  # noqa: B015
