"""``queuecompat.v1`` hides nothing of tensorflow.compat.v1 and adds nothing undocumented."""

from __future__ import annotations

import importlib
import inspect
import pathlib
import pkgutil
from typing import Any

import pytest
import tensorflow.compat.v1 as real

import queuecompat.image
import queuecompat.readers
import queuecompat.train
import queuecompat.v1 as tf
from queuecompat._namespace import names as _names
from tests.forking import Server

GUIDE = pathlib.Path(__file__).parents[2] / "migration_guide" / "coverage.md"
# All that may stand on top, by the module's path; the last two parts of "" are packages of our own.
TABLES = {path: {**names} for path, names in _names.OURS.items()}
TOP = {path for path in TABLES if path and "." not in path}


def at(namespace: Any, path: str) -> Any:
    if namespace is real and path in _names.INSTEAD and not hasattr(real, path):
        return importlib.import_module(_names.INSTEAD[path])
    for part in filter(None, path.split(".")):
        namespace = getattr(namespace, part)
    return namespace


def public(module: object) -> set:
    try:
        return {name for name in dir(module) if not name.startswith("_")}
    except ImportError:
        return set()  # TensorFlow's stand-in for a part of Keras 2


def ours(path: str) -> set:
    public_ones = {name for name in TABLES[path] if not name.startswith("_")}
    return public_ones | (TOP if not path else {p[len(path) + 1 :] for p in TABLES if p.startswith(path + ".")})


@pytest.mark.parametrize("path", sorted(TABLES))
def test_every_name_is_there_and_no_other(path: str) -> None:
    assert public(at(tf, path)) == public(at(real, path)) | ours(path)


@pytest.mark.parametrize("path", sorted(TABLES))
def test_what_we_do_not_replace_is_the_very_same_object(path: str) -> None:
    for name in public(at(real, path)) - ours(path):
        if hasattr(at(real, path), name):  # some of Keras 2 are in dir() and nowhere else
            assert getattr(at(tf, path), name) is getattr(at(real, path), name), name


@pytest.mark.parametrize("path", sorted(TABLES))
def test_names_that_we_add_exist_and_are_in_the_guide(path: str) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    for name, place in TABLES[path].items():
        assert getattr(at(tf, path), name) is not None
        if not place.startswith(("queuecompat.train", "queuecompat.readers", "queuecompat.image")):
            assert f"`tf.{path + '.' if path else ''}{name}`" in text, name


def test_a_name_that_tensorflow_has_is_not_shadowed_by_an_old_one() -> None:
    """An entry for an old name must go when TensorFlow has that name itself."""
    for path, names in TABLES.items():
        for name, place in names.items():
            if place.startswith("=") or "_old:" in place:
                assert name not in public(at(real, path)), name


@pytest.mark.parametrize("name", queuecompat.train.__all__)
def test_our_functions_take_the_arguments_of_the_original(name: str) -> None:
    original = inspect.signature(inspect.unwrap(getattr(real.train, name)))
    here = inspect.signature(getattr(tf.train, name))
    assert [(p.name, p.default) for p in here.parameters.values()] == [
        (p.name, p.default) for p in original.parameters.values()
    ]
    assert getattr(tf.train, name) is getattr(queuecompat.train, name)


@pytest.mark.parametrize("name", sorted(public(real.image) & set(queuecompat.image.__all__)))
def test_image_ops_take_the_arguments_of_the_original_and_further_ones_by_keyword_only(name: str) -> None:
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
    assert importlib.import_module("queuecompat.v1.losses") is real.losses
    assert importlib.import_module("queuecompat.v1.contrib.slim") is tf.contrib.slim


def test_private_modules_are_tensorflows_own_except_for_the_queues() -> None:
    module = importlib.import_module("queuecompat.v1.python.training.moving_averages")
    assert module is importlib.import_module("tensorflow.python.training.moving_averages")
    from queuecompat.v1.python.training import input as input_module

    assert input_module.batch is queuecompat.train.batch
    assert importlib.import_module("queuecompat.v1.python.training.queue_runner") is tf.train


def test_a_path_of_contrib_may_name_the_private_folders_in_between() -> None:
    for path in ("slim.python.slim", "training.python.training.training"):
        module = importlib.import_module(f"queuecompat.v1.contrib.{path}")
        assert public(module) == public(getattr(tf.contrib, path.partition(".")[0])), path


def test_modules_below_every_package_of_contrib_can_be_imported() -> None:
    """Of those that are one file here it was an error: "is not a package"."""
    for name in sorted(one.name for one in pkgutil.iter_modules(queuecompat.contrib.__path__)):
        if not name.startswith("_"):
            assert importlib.import_module(f"queuecompat.v1.contrib.{name}.python") is not None, name
    lookup = importlib.import_module("queuecompat.v1.contrib.lookup.lookup_ops")
    assert lookup.index_table_from_file is tf.contrib.lookup.index_table_from_file
    batching = importlib.import_module("queuecompat.v1.contrib.data.python.ops.batching")
    assert batching.map_and_batch is tf.contrib.data.map_and_batch
    assert importlib.import_module("queuecompat.v1.contrib.keras.layers").Dense is tf.keras.layers.Dense
    with pytest.raises(ModuleNotFoundError, match="QC511"):
        importlib.import_module("queuecompat.v1.contrib.lookup.absent")


def test_a_star_import_brings_every_name() -> None:
    names: dict = {}
    exec("from queuecompat.v1 import *", names)
    assert public(tf) <= set(names)


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("absent", r"tensorflow\.compat\.v1 has no such name"),
        ("string_length", r"instead: +did you mean 'string_split'\?"),
        ("train.absent", r"tensorflow\.compat\.v1\.train has no such name"),
        ("image.absent", r"tensorflow\.compat\.v1\.image has no such name"),
        ("models", "a repository of their own"),
        ("nn.seq2seq", "no successor"),
        ("contrib.opt.AddSignOptimizer", r"tf\.raw_ops\.ResourceApplyAddSign"),
        ("contrib.absent", r"TensorFlow 1\.15 had no such name"),
        ("contrib.image.absent", r"'tf\.contrib\.image\.absent' was not found: TensorFlow 1\.15 had no such name"),
        ("contrib.data.LMDBDataset", r"instead: +TensorFlow 2 is built without LMDB"),
        ("contrib.learn.io.extract_dask_data", r"'tf\.contrib\.learn\.io\.extract_dask_data' was not found"),
    ],
)
def test_a_removed_name_says_what_to_use_instead(path: str, says: str) -> None:
    with pytest.raises(AttributeError, match=says):
        at(tf, path)


@pytest.mark.parametrize("path", ["absent", "models.rnn", "contrib.absent.deep", "python.absent"])
def test_a_removed_module_is_not_found_under_its_name_in_tensorflow(path: str) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(f"queuecompat.v1.{path}")
    assert caught.value.name is not None
    assert caught.value.name.startswith("tensorflow.")


def test_the_namespace_says_what_it_is() -> None:
    assert repr(tf).startswith("<module 'queuecompat.v1': tensorflow.compat.v1 with ")
    assert "tensorflow.compat.v1.train with" in repr(tf.train)


def test_tf1_behaviour_is_on() -> None:
    assert not tf.executing_eagerly()
    assert not tf.resource_variables_enabled()


def test_without_keras_2_the_error_says_what_to_install(tmp_path: pathlib.Path, server: Server) -> None:
    code = (
        "import queuecompat.v1 as tf, tensorflow\n"
        "try:\n    print(tf.layers.dense.__name__, tf.nn.rnn_cell.BasicLSTMCell.__name__)\n"
        "except AttributeError as e:\n    print(e)\n"
    )
    done = server.run(["-c", code], str(tmp_path))
    assert done.exit_code == 0, done.err
    assert "dense BasicLSTMCell" in done.out or "pip install tf_keras" in done.out


def test_no_module_of_tensorflow_is_made_a_second_time(tmp_path: pathlib.Path, server: Server) -> None:
    """What was replaced in the first one would be the plain function again: an export left pipelines out."""
    code = (
        "import tensorflow, queuecompat.v1 as tf\n"
        "before = tensorflow.compat.v1.train\n"
        "for name in tf.contrib.training.__all__:\n    getattr(tf.contrib.training, name)\n"
        "print(tensorflow.compat.v1.train is before)\n"
    )
    done = server.run(["-c", code], str(tmp_path))
    assert done.exit_code == 0, done.err
    assert done.out.strip() == "True"
