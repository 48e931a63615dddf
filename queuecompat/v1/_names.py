"""What ``queuecompat.v1`` has on top of ``tensorflow.compat.v1``, name by name.

Each table is for one module, by its path below ``tf`` ("" is ``tf`` itself). Where a name leads is
written as ``_overlay.Overlay`` reads it. Three kinds of names are here:

- ours: the input functions, readers and image ops that are compiled, and ``contrib``;
- old: what 0.x and early 1.x called differently, where the new function takes the same arguments;
- gone: what nothing in TensorFlow 2 stands for, with the reason.
"""

from __future__ import annotations

from typing import Dict

from queuecompat import image, readers, train

__all__ = ["CONTRIB_FILES", "GONE", "INSTEAD", "OURS", "PRIVATE"]

_OLD = {
    "batch_cholesky": "=linalg.cholesky",
    "batch_cholesky_solve": "=linalg.cholesky_solve",
    "batch_fft": "=signal.fft",
    "batch_fft2d": "=signal.fft2d",
    "batch_fft3d": "=signal.fft3d",
    "batch_ifft": "=signal.ifft",
    "batch_ifft2d": "=signal.ifft2d",
    "batch_ifft3d": "=signal.ifft3d",
    "batch_matmul": "queuecompat.v1._old:batch_matmul",
    "batch_matrix_band_part": "=linalg.band_part",
    "batch_matrix_determinant": "=linalg.det",
    "batch_matrix_diag": "=linalg.diag",
    "batch_matrix_diag_part": "=linalg.diag_part",
    "batch_matrix_inverse": "=linalg.inv",
    "batch_matrix_set_diag": "=linalg.set_diag",
    "batch_matrix_solve": "=linalg.solve",
    "batch_matrix_solve_ls": "=linalg.lstsq",
    "batch_matrix_transpose": "=linalg.transpose",
    "batch_matrix_triangular_solve": "=linalg.triangular_solve",
    "batch_self_adjoint_eig": "=linalg.eigh",
    "batch_self_adjoint_eigvals": "=linalg.eigvalsh",
    "batch_svd": "=linalg.svd",
    "complex_abs": "=abs",
    "inv": "=reciprocal",
    "listdiff": "=setdiff1d",
    "mul": "=multiply",
    "neg": "=negative",
    "pack": "=stack",
    "select": "=where",
    "sub": "=subtract",
    "unpack": "=unstack",
}

_OLD_SUMMARIES = {
    "audio_summary": "queuecompat.v1._old:audio_summary",
    "histogram_summary": "queuecompat.v1._old:histogram_summary",
    "image_summary": "queuecompat.v1._old:image_summary",
    "merge_all_summaries": "=summary.merge_all",
    "merge_summary": "=summary.merge",
    "scalar_summary": "queuecompat.v1._old:scalar_summary",
}

OURS: Dict[str, Dict[str, str]] = {
    "": {
        **{name: f"queuecompat.readers:{name}" for name in readers.__all__},
        **_OLD,
        **_OLD_SUMMARIES,
        "contrib": "queuecompat.contrib",
        "examples": "queuecompat.v1.examples",
        "pywrap_tensorflow": "queuecompat.v1._old:pywrap_tensorflow",
        "random_crop": "queuecompat.image:random_crop",
    },
    "compat": {"v1": "queuecompat.v1"},
    "estimator": {"inputs": "queuecompat.estimator.inputs"},
    "image": {name: f"queuecompat.image:{name}" for name in image.__all__},
    "layers": {},
    "nn": {
        "bidirectional_rnn": "=nn.static_bidirectional_rnn",
        "deconv2d": "=nn.conv2d_transpose",
        "rnn": "=nn.static_rnn",
        "state_saving_rnn": "=nn.static_state_saving_rnn",
    },
    "nn.rnn_cell": {},
    "train": {
        **{name: f"queuecompat.train:{name}" for name in train.__all__},
        "SummaryWriter": "=summary.FileWriter",
    },
}

GONE: Dict[str, Dict[str, str]] = {
    "": {
        "learn": "tf.learn became tf.contrib.learn, and then tf.estimator",
        "models": "the example models moved to a repository of their own, tensorflow/models",
        "python": "import a private module by its whole path, such as tensorflow.python.framework.ops",
    },
    "nn": {"seq2seq": "it has had no successor in TensorFlow since 1.0; tensorflow-addons had a part of it"},
}

# Modules that stand for TensorFlow's where it has none any more.
INSTEAD: Dict[str, str] = {"estimator": "queuecompat.estimator"}

# Private modules that 1.x programs import, and what stands for them now, as a path below ``tf``. All
# other modules below tensorflow.python are TensorFlow's own.
PRIVATE: Dict[str, str] = {
    "python.layers.base": "layers",
    "python.layers.convolutional": "layers",
    "python.layers.core": "layers",
    "python.layers.layers": "layers",
    "python.layers.normalization": "layers",
    "python.layers.pooling": "layers",
    "python.ops.rnn": "nn",
    "python.ops.rnn_cell": "nn.rnn_cell",
    "python.ops.rnn_cell_impl": "nn.rnn_cell",
    "python.pywrap_tensorflow": "pywrap_tensorflow",
    "python.training.coordinator": "train",
    "python.training.input": "train",
    "python.training.queue_runner": "train",
    "python.training.queue_runner_impl": "train",
}

# The folders and files that TF 1.15 had below ``contrib.<package>.python``, of the packages that are here: what an
# import from there may mean a module by. All other names there are functions and classes.
CONTRIB_FILES = {
    "_sklearn", "alexnet", "arg_scope", "audio_ops", "base", "basic_session_run_hooks", "batching",
    "benchmarking", "bucket_ops", "bucketization_op", "checkpoint_convert", "checkpoint_ops",
    "checkpoint_utils", "classification", "composable_model", "confusion_matrix_ops", "constants",
    "core_rnn_cell", "counter", "dask_io", "data", "data_decoder", "data_feeder", "data_provider", "dataset",
    "dataset_data_provider", "datasets", "debug", "dense_image_warp", "device_setter", "distort_image_ops",
    "dnn", "dnn_linear_combined", "dynamic_rnn_estimator", "embedding_ops", "encoders", "enumerate_ops",
    "error_ops", "estimator", "estimators", "evaluable", "evaluation", "experiment", "experimental",
    "export_strategy", "feature_column", "feature_column_ops", "feeding_queue_runner", "framework",
    "fused_rnn_cell", "generator_io", "get_single_element", "graph_actions", "graph_io", "graph_util",
    "grouping", "gru_ops", "head", "histogram_ops", "hparam", "image_ops", "inception", "inception_v1",
    "inception_v2", "inception_v3", "initializers", "interleave_ops", "interpolate_spline", "iterator_ops",
    "kernel_tests", "kmeans", "layers", "learn", "learn_io", "learn_runner", "learn_runner_lib", "learning",
    "linear", "logistic_regressor", "lstm_ops", "metric_key", "metric_ops", "metric_spec", "metrics",
    "metrics_impl", "mnist", "model_analyzer", "model_fn", "models", "monitored_session", "monitors", "nets",
    "network", "normalization", "numpy_io", "ops", "optimizers", "overfeat", "pandas_io", "parallel_reader",
    "parameter_server", "parsing_ops", "prediction_key", "prefetch_queue", "prefetching_ops", "preprocessing",
    "prettyprint_ops", "produce_small_datasets", "queues", "random_ops", "readers", "regularizers", "resample",
    "resampling", "resnet_utils", "resnet_v1", "resnet_v2", "rev_block_lib", "rnn", "rnn_cell", "rnn_common",
    "run_config", "sampling_ops", "saver", "scan_ops", "script_ops", "sequence_queueing_state_saver",
    "session_run_hook", "set_ops", "shuffle_ops", "single_image_random_dot_stereograms", "sliding", "slim",
    "sort_ops", "sparse_feature_cross_op", "sparse_image_warp", "sparse_ops", "state_saving_rnn_estimator",
    "summaries", "summary_writer_cache", "svm", "synthetic", "target_column", "tensor_signature", "tensor_util",
    "text_datasets", "tfe", "tfexample_decoder", "threadpool", "tools", "trainable", "training", "tuner",
    "unique", "utils", "variables", "vgg", "writers",
}  # fmt: skip
