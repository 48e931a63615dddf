"""The names that ``queuecompat.v1`` adds to ``tensorflow.compat.v1``, all taken from ``queuecompat.api``.

Each table is for one module, by its path below ``tf`` ("" is ``tf`` itself). The place of a name is written as
``overlay.Overlay`` reads it. There are three kinds of names:

- ours: the input functions, readers and image ops that are compiled, and ``contrib``;
- old: names of 0.x and early 1.x whose function has a new name and the same arguments;
- gone: names without a replacement in TensorFlow 2, with the reason.
"""

from __future__ import annotations

from typing import Dict

from queuecompat import api

__all__ = ["CONTRIB_FILES", "CONTRIB_PRIVATE", "GONE", "INSTEAD", "OURS", "PRIVATE", "PRIVATE_FUNCTIONS"]

# The last two contain no names of ours; they are listed for the messages of their errors.
_MODULES = (
    "",
    "app",
    "app.flags",
    "compat",
    "estimator",
    "flags",
    "image",
    "nn",
    "train",
    "version",
    "layers",
    "nn.rnn_cell",
)


def _ours(module: str) -> Dict[str, str]:
    rows = api.under(f"tf.{module}".rstrip("."), "compiled", "here", "kept", "renamed")
    return {name: row.place for name, row in rows.items() if row.place}


OURS: Dict[str, Dict[str, str]] = {module: _ours(module) for module in _MODULES}

GONE: Dict[str, Dict[str, str]] = {module: api.gone(f"tf.{module}".rstrip(".")) for module in ("", "nn")}

# Modules that replace TensorFlow's where the installed TensorFlow has none.
INSTEAD: Dict[str, str] = {"estimator": "queuecompat.estimator"}

# Private modules that 1.x programs import, and names in such modules that TensorFlow has moved, each with the path
# below ``tf`` of what replaces it. Everything else below tensorflow.python is TensorFlow's own.
PRIVATE: Dict[str, str] = {
    symbol.partition(".")[2]: row.place for symbol, row in api.table().items() if row.status == "private"
}

# Functions of such modules that TensorFlow has removed, with the places of ours.
PRIVATE_FUNCTIONS: Dict[str, str] = {
    f"python.framework.tensor_shape.{name}": f"queuecompat._namespace.old:{name}"
    for name in ("matrix", "scalar", "vector")
}

# Private files below ``contrib`` whose names are not those of their package, or that are not in a folder ``python``,
# each with the module that replaces it.
CONTRIB_PRIVATE: Dict[str, str] = {
    "contrib.framework.python.ops.audio_ops": "queuecompat.contrib.framework.audio_ops",
    "contrib.lookup.lookup_ops": "queuecompat.contrib.lookup",
}

# Private functions and classes in such files that programs import, with the places of ours.
CONTRIB_PRIVATE_NAMES: Dict[str, Dict[str, str]] = {
    "contrib.rnn.python.ops.core_rnn_cell": {
        "_Linear": "queuecompat.contrib.rnn.linear:Linear",
        "_linear": "queuecompat.contrib.rnn.linear:linear",
    },
    "contrib.rnn.python.ops.rnn_cell": {"_Linear": "queuecompat.contrib.rnn.linear:Linear"},
}

# The folders and files that TF 1.15 had below ``contrib.<package>.python``, for the packages that we have. Only these
# names mean a module in an import from there; all others are functions and classes.
CONTRIB_FILES = {
    "_sklearn", "alexnet", "arg_scope", "attention_wrapper", "audio_ops", "base", "basic_decoder",
    "basic_session_run_hooks", "batching", "beam_search_decoder", "beam_search_ops", "benchmarking", "bucket_ops",
    "bucketization_op", "categorical", "categorical_vocabulary", "checkpoint_convert", "checkpoint_ops",
    "checkpoint_utils", "classification", "cluster_resolver", "composable_model", "confusion_matrix_ops", "constants",
    "core_rnn_cell", "counter", "dask_io", "data", "data_decoder", "data_feeder", "data_provider", "dataset",
    "dataset_data_provider", "datasets", "debug", "decoder", "dense_image_warp", "device_setter", "distort_image_ops",
    "dnn", "dnn_linear_combined", "dynamic_rnn_estimator", "early_stopping", "embedding_ops", "encoders",
    "enumerate_ops", "error_ops", "estimator", "estimators", "evaluable", "evaluation", "experiment", "experimental",
    "export_strategy", "extenders", "feature_column", "feature_column_ops", "feeding_queue_runner", "framework",
    "fused_rnn_cell", "generator_io", "get_single_element", "graph_actions", "graph_io", "graph_util", "grouping",
    "gru_ops", "head", "helper", "histogram_ops", "hooks", "hparam", "image_ops", "inception", "inception_v1",
    "inception_v2", "inception_v3", "initializers", "interleave_ops", "interpolate_spline", "iterator_ops",
    "kernel_tests", "kmeans", "layers", "learn", "learn_io", "learn_runner", "learn_runner_lib", "learning", "linear",
    "logistic_regressor", "loss", "lstm_ops", "mel_ops", "metric_key", "metric_ops", "metric_spec", "metrics",
    "metrics_impl", "mfcc_ops", "mnist", "model_analyzer", "model_fn", "models", "monitored_session", "monitors",
    "nets", "network", "normalization", "numpy_io", "ops", "optimizers", "overfeat", "pandas_io", "parallel_reader",
    "parameter_server", "parsing_ops", "prediction_key", "prefetch_queue", "prefetching_ops", "preprocessing",
    "prettyprint_ops", "produce_small_datasets", "queues", "random_ops", "readers", "reconstruction_ops",
    "regularizers", "resample", "resampling", "resnet_utils", "resnet_v1", "resnet_v2", "rev_block_lib", "rnn",
    "rnn_cell", "rnn_common", "run_config", "sampler", "sampling_ops", "saver", "scan_ops", "script_ops", "seq2seq",
    "sequence_queueing_state_saver", "session_run_hook", "set_ops", "shape_ops", "shuffle_ops", "signal",
    "single_image_random_dot_stereograms", "sliding", "slim", "sort_ops", "sparse_feature_cross_op",
    "sparse_image_warp", "sparse_ops", "spectral_ops", "state_saving_rnn_estimator", "summaries",
    "summary_writer_cache", "svm", "synthetic", "target_column", "tensor_signature", "tensor_util", "text",
    "text_datasets", "tfe", "tfexample_decoder", "threadpool", "tools", "tpu", "tpu_cluster_resolver", "tpu_config",
    "tpu_context", "tpu_estimator", "tpu_optimizer", "trainable", "training", "tuner", "unique", "utils", "variables",
    "vgg", "window_ops", "writers",
}  # fmt: skip
