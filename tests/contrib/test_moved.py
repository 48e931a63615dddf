"""Modules of tf.contrib that were names of other modules of TensorFlow, and still are."""

from __future__ import annotations

import functools
import importlib.util
import pathlib

import pytest

import queuecompat.v1 as tf
from queuecompat import api
from queuecompat._namespace import modules

# All functions and classes of the modules of tf.contrib that are here, as TF 1.15.5 had them.
NAMES = (pathlib.Path(__file__).parent / "names_of_1_15.txt").read_text(encoding="utf-8").split()


def test_the_distributions_are_tensorflows() -> None:
    for name in dir(tf.contrib.distributions):
        assert getattr(tf.contrib.distributions, name) is getattr(tf.distributions, name)
    with pytest.raises(
        AttributeError, match=r"tensorflow-probability, whose tfp\.distributions\.MultivariateNormalDiag"
    ):
        tf.contrib.distributions.MultivariateNormalDiag  # noqa: B018


def test_keras_has_a_second_name() -> None:
    for name in tf.contrib.keras.__all__:
        assert getattr(tf.contrib.keras, name) is getattr(tf.keras, name)
    assert modules.find("contrib.keras.python.keras.utils") is tf.keras.utils
    assert {"datasets", "layers", "models", "utils"} <= set(dir(tf.contrib.keras))
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.keras\.wrappers' was not found"):
        tf.contrib.keras.wrappers  # noqa: B018


def test_what_became_part_of_tensorflow_is_there_under_its_first_name() -> None:
    contrib = tf.contrib
    assert contrib.signal.stft is tf.signal.stft and dir(contrib.signal) == sorted(contrib.signal.__all__)
    assert contrib.stateless.stateless_random_normal is tf.random.stateless_normal
    assert contrib.stateless.stateless_multinomial is tf.random.stateless_multinomial
    resolvers = tf.distribute.cluster_resolver
    assert contrib.cluster_resolver.TPUClusterResolver is resolvers.TPUClusterResolver
    assert contrib.cluster_resolver.UnionClusterResolver is resolvers.UnionResolver
    assert contrib.util.constant_value(tf.constant(3)) == 3
    assert contrib.proto.decode_proto is tf.io.decode_proto
    assert contrib.feature_column.sequence_numeric_column is tf.feature_column.sequence_numeric_column
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.util\.ops_used_by_graph_def' was not found"):
        contrib.util.ops_used_by_graph_def  # noqa: B018


def test_estimators_of_contrib_are_those_of_tensorflow() -> None:
    assert tf.contrib.tpu.TPUEstimator is tf.estimator.tpu.TPUEstimator
    assert tf.contrib.tpu.CrossShardOptimizer is tf.tpu.CrossShardOptimizer
    assert tf.contrib.tpu.InputPipelineConfig.PER_HOST_V2 is not None
    assert modules.find("contrib.tpu.python.tpu.tpu_config").TPUConfig is tf.estimator.tpu.TPUConfig
    assert tf.contrib.estimator.add_metrics is tf.estimator.add_metrics
    for module in (tf.contrib.estimator, tf.contrib.tpu):
        for name in dir(module):
            assert getattr(module, name) is not None


def test_the_ops_of_optimizers_are_found_where_they_were() -> None:
    training_ops = modules.find("python.training.training_ops")
    with tf.Graph().as_default():
        variable = tf.get_variable("x", initializer=[3.0], use_resource=False)
        changed = training_ops.apply_gradient_descent(variable, 0.5, [2.0])
        with tf.Session() as sess:
            sess.run(variable.initializer)
            assert sess.run(changed).tolist() == [2.0]


@pytest.mark.parametrize("module", sorted({name.partition(".")[0] for name in NAMES}))
def test_a_name_is_there_or_a_row_says_that_it_is_gone(module: str) -> None:
    """``check`` took a name without a row for one that is there, as its module is: the program stopped at it."""
    for name in (name for name in NAMES if name.partition(".")[0] == module):
        row = api.find(f"tf.contrib.{name}")
        assert row is not None
        try:
            functools.reduce(getattr, name.split("."), tf.contrib)
        except AttributeError as error:
            needs_a_package = "it needs Keras 2" in str(error) or "tf-slim" in str(error)
            assert row.status == "gone" or needs_a_package, name


@pytest.mark.parametrize(("name", "is_misspelt"), [("MultivariateNormalDiag", False), ("Norml", True)])
def test_python_adds_a_similar_name_only_to_one_that_may_be_misspelt(name: str, is_misspelt: bool) -> None:
    """BasicRNNCell was suggested for BasicLSTMCell, at the end of the command that says more of it."""
    with pytest.raises(AttributeError, match="QC511") as caught:
        getattr(tf.contrib.distributions, name)
    assert bool(getattr(caught.value, "name", is_misspelt)) == is_misspelt  # Python 3.9 adds none


def test_the_projector_is_that_of_tensorboard(tmp_path: pathlib.Path) -> None:
    """It was QC511, with the advice to change the import."""
    from queuecompat.contrib.tensorboard.plugins import projector

    if importlib.util.find_spec("tensorboard") is None:
        with pytest.raises(AttributeError, match="pip install tensorboard"):
            projector.ProjectorConfig  # noqa: B018
        return
    config = projector.ProjectorConfig()
    config.embeddings.add().tensor_name = "words"
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        projector.visualize_embeddings(writer, config)
    assert 'tensor_name: "words"' in (tmp_path / "projector_config.pbtxt").read_text()


def test_a_model_is_counted_as_the_first_profiler_counted_it(capfd: pytest.CaptureFixture[str]) -> None:
    """Its functions have argument names of their own."""
    analyzer = tf.contrib.tfprof.model_analyzer
    with tf.Graph().as_default() as graph:
        tf.matmul(tf.ones([1, 4]), tf.get_variable("w", [4, 2], initializer=tf.zeros_initializer()))
    options = analyzer.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    assert analyzer.print_model_analysis(graph, tfprof_options=options).total_parameters == 8
    assert "w (4x2, 8/8 params)" in capfd.readouterr().out
    counted = analyzer.print_model_analysis(graph, tfprof_cmd="scope", tfprof_options=analyzer.FLOAT_OPS_OPTIONS)
    assert counted.total_float_ops == 16
    # TF 1.15.5's; what it did not set is 0.
    options = {name: value for name, value in analyzer.PRINT_ALL_TIMING_MEMORY.items() if value not in (0, -1)}
    assert (options["order_by"], options["select"], options["min_bytes"]) == ("name", ["micros", "bytes"], 1)
    assert analyzer.advise(graph).checkers
