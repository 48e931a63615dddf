"""``queuecompat.v1`` hides nothing of tensorflow.compat.v1 and adds nothing undocumented."""

from __future__ import annotations

import importlib

import pytest
import tensorflow.compat.v1 as real

import queuecompat.image
import queuecompat.readers
import queuecompat.train
import queuecompat.v1 as tf

OURS = {"image", "random_crop", "train", *queuecompat.readers.__all__}


def public(module: object) -> set:
    return {name for name in dir(module) if not name.startswith("_")}


def test_every_name_is_there_and_no_other() -> None:
    assert public(tf) == public(real) | OURS
    assert public(tf.train) == public(real.train) | set(queuecompat.train.__all__)
    assert public(tf.image) == public(real.image) | set(queuecompat.image.__all__)


def test_what_we_do_not_replace_is_the_very_same_object() -> None:
    for name in public(real) - OURS:
        assert getattr(tf, name) is getattr(real, name), name
    for name in public(real.train) - set(queuecompat.train.__all__):
        assert getattr(tf.train, name) is getattr(real.train, name), name
    for name in public(real.image) - set(queuecompat.image.__all__):
        assert getattr(tf.image, name) is getattr(real.image, name), name


@pytest.mark.parametrize("name", queuecompat.train.__all__)
def test_ours_take_the_arguments_of_the_original(name: str) -> None:
    import inspect

    original = inspect.signature(inspect.unwrap(getattr(real.train, name)))
    here = inspect.signature(getattr(tf.train, name))
    assert [(p.name, p.default) for p in here.parameters.values()] == [
        (p.name, p.default) for p in original.parameters.values()
    ]
    assert getattr(tf.train, name) is getattr(queuecompat.train, name)


@pytest.mark.parametrize("name", sorted(public(real.image) & set(queuecompat.image.__all__)))
def test_image_ops_take_the_arguments_of_the_original_and_ours_by_keyword_alone(name: str) -> None:
    import inspect

    here = getattr(tf.image, name)
    assert here is getattr(queuecompat.image, name)
    original = inspect.signature(inspect.unwrap(getattr(real.image, name)))
    given = [p for p in inspect.signature(inspect.unwrap(here)).parameters.values() if p.kind != p.KEYWORD_ONLY]
    assert [(p.name, p.default) for p in given] == [(p.name, p.default) for p in original.parameters.values()]


def test_random_crop_is_the_same_in_all_its_places() -> None:
    assert tf.random_crop is tf.image.random_crop is queuecompat.image.random_crop


def test_submodules_can_be_imported() -> None:
    assert importlib.import_module("queuecompat.v1.train") is tf.train
    assert importlib.import_module("queuecompat.v1.image") is tf.image


def test_a_name_that_is_nowhere_says_where_it_was_looked_for() -> None:
    with pytest.raises(AttributeError, match=r"tensorflow\.compat\.v1 has none"):
        tf.absent  # noqa: B018
    with pytest.raises(AttributeError, match=r"tensorflow\.compat\.v1\.train has none"):
        tf.train.absent  # noqa: B018
    with pytest.raises(AttributeError, match=r"tensorflow\.compat\.v1\.image has none"):
        tf.image.absent  # noqa: B018


def test_tf1_behaviour_is_on() -> None:
    assert not tf.executing_eagerly()
    assert not tf.resource_variables_enabled()
