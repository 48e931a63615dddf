"""Every module of TF 1.15's ``tf.contrib`` is here, or says where it went."""

from __future__ import annotations

import subprocess
import sys

import pytest

import queuecompat.v1 as tf
from queuecompat import api

# ``dir(tf.contrib)`` of TF 1.15.5.
MODULES = [
    "autograph",
    "batching",
    "bayesflow",
    "checkpoint",
    "cloud",
    "cluster_resolver",
    "compiler",
    "constrained_optimization",
    "copy_graph",
    "crf",
    "cudnn_rnn",
    "data",
    "deprecated",
    "distribute",
    "distributions",
    "eager",
    "estimator",
    "factorization",
    "feature_column",
    "ffmpeg",
    "framework",
    "graph_editor",
    "grid_rnn",
    "image",
    "input_pipeline",
    "integrate",
    "keras",
    "kernel_methods",
    "labeled_tensor",
    "layers",
    "learn",
    "legacy_seq2seq",
    "linear_optimizer",
    "lookup",
    "losses",
    "memory_stats",
    "metrics",
    "mixed_precision",
    "model_pruning",
    "nn",
    "opt",
    "optimizer_v2",
    "periodic_resample",
    "predictor",
    "proto",
    "quantization",
    "quantize",
    "receptive_field",
    "recurrent",
    "reduce_slice_ops",
    "remote_fused_graph",
    "resampler",
    "rnn",
    "rpc",
    "saved_model",
    "seq2seq",
    "signal",
    "slim",
    "solvers",
    "sparsemax",
    "specs",
    "staging",
    "stat_summarizer",
    "stateless",
    "summary",
    "tensor_forest",
    "tensorboard",
    "testing",
    "tfprof",
    "timeseries",
    "tpu",
    "training",
    "util",
]
# Those that had to be imported by name.
FOLDERS = [
    "bigtable",
    "boosted_trees",
    "decision_trees",
    "fused_conv",
    "hadoop",
    "hooks",
    "ignite",
    "kafka",
    "kinesis",
    "libsvm",
    "nearest_neighbor",
    "session_bundle",
    "tensorrt",
    "text",
]


@pytest.mark.parametrize("name", MODULES + FOLDERS)
def test_every_module_of_contrib_is_here_or_says_where_it_went(name: str) -> None:
    if name in tf.contrib.__all__:
        assert getattr(tf.contrib, name).__name__ == f"queuecompat.contrib.{name}"
        return
    with pytest.raises(AttributeError, match=rf"(?s)'tf\.contrib\.{name}' was not found: .*instead: +\w+"):
        getattr(tf.contrib, name)


def test_nothing_is_named_that_was_not_there() -> None:
    assert set(api.gone("tf.contrib")) <= set(MODULES + FOLDERS)
    assert set(tf.contrib.__all__) <= set(MODULES)


def test_an_unknown_module_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"'tf\.contrib\.absent' was not found: TensorFlow 1\.15 had no such name"):
        tf.contrib.absent  # noqa: B018


@pytest.mark.parametrize("module", ["data", "eager", "framework", "image", "lookup", "metrics", "rnn", "staging"])
def test_a_module_lists_its_public_names(module: str) -> None:
    found = getattr(tf.contrib, module)
    assert set(found.__all__) <= set(dir(found))


@pytest.mark.parametrize("module", ["eager", "metrics"])
def test_every_name_of_a_table_is_there(module: str) -> None:
    found = getattr(tf.contrib, module)
    for name in found.__all__:
        assert callable(getattr(found, name)), name


@pytest.mark.parametrize("module", ["eager", "metrics", "rnn"])
def test_a_name_of_a_table_that_is_gone_says_why(module: str) -> None:
    with pytest.raises(AttributeError, match=rf"contrib\.{module} has no 'absent': \w+"):
        getattr(getattr(tf.contrib, module), "absent")  # noqa: B009


def test_contrib_imports_its_modules_when_they_are_used() -> None:
    code = "import sys, queuecompat.contrib as c; dir(c); sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
