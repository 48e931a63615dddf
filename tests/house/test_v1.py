"""``queuecompat.v1`` hides nothing of tensorflow.compat.v1 and adds nothing undocumented."""

from __future__ import annotations

import importlib

import pytest
import tensorflow.compat.v1 as real

import queuecompat.readers
import queuecompat.train
import queuecompat.v1 as tf

OURS = set(queuecompat.readers.__all__)


def public(module: object) -> set:
    return {name for name in dir(module) if not name.startswith("_")}


def test_every_name_is_there_and_no_other() -> None:
    assert public(tf) == public(real) | OURS | {"train"}
    assert public(tf.train) == public(real.train) | set(queuecompat.train.__all__)


def test_what_we_do_not_replace_is_the_very_same_object() -> None:
    replaced = OURS | {"train"}
    for name in public(real) - replaced:
        assert getattr(tf, name) is getattr(real, name), name
    for name in public(real.train) - set(queuecompat.train.__all__):
        assert getattr(tf.train, name) is getattr(real.train, name), name


@pytest.mark.parametrize("name", queuecompat.train.__all__)
def test_ours_take_the_arguments_of_the_original(name: str) -> None:
    import inspect

    original = inspect.signature(inspect.unwrap(getattr(real.train, name)))
    here = inspect.signature(getattr(tf.train, name))
    assert [(p.name, p.default) for p in here.parameters.values()] == [
        (p.name, p.default) for p in original.parameters.values()
    ]
    assert getattr(tf.train, name) is getattr(queuecompat.train, name)


def test_submodules_can_be_imported() -> None:
    assert importlib.import_module("queuecompat.v1.train") is tf.train


def test_a_name_that_is_nowhere_says_where_it_was_looked_for() -> None:
    with pytest.raises(AttributeError, match=r"tensorflow\.compat\.v1 has none"):
        tf.absent  # noqa: B018
    with pytest.raises(AttributeError, match=r"tensorflow\.compat\.v1\.train has none"):
        tf.train.absent  # noqa: B018


def test_tf1_behaviour_is_on() -> None:
    assert not tf.executing_eagerly()
    assert not tf.resource_variables_enabled()
