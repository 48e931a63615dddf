"""Modules of ``tf.contrib`` that are not here, and where to look instead.

Every module of TF 1.15's ``tf.contrib`` is either a folder or file beside this one or a row here.
"""

from __future__ import annotations

__all__ = ["INSTEAD", "absent"]

_KERAS = "tf.keras has it"
_NOTHING = "nothing took its place"
_GRAPHS = "there is no public way to edit graphs; build the graph anew"
_PROBABILITY = "pip install tensorflow-probability"
_ADDONS = "the package tensorflow-addons took it over, for TensorFlow up to 2.15"

INSTEAD = {
    "autograph": "it is part of TensorFlow: tf.autograph, tf.function",
    "batching": "tf.nondifferentiable_batch_function: TensorFlow's own name for batch_function",
    "bayesflow": _PROBABILITY,
    "bigtable": "pip install tensorflow-io",
    "boosted_trees": "pip install tensorflow-decision-forests",
    "checkpoint": "it is part of TensorFlow: tf.train.Checkpoint, tf.train.CheckpointManager",
    "cloud": "pip install tensorflow-io",
    "cluster_resolver": "it is part of TensorFlow: tf.distribute.cluster_resolver",
    "compiler": "it is part of TensorFlow: tf.function(jit_compile=True)",
    "constrained_optimization": "pip install tensorflow-constrained-optimization",
    "copy_graph": "tf.graph_util.import_graph_def copies ops; " + _GRAPHS,
    "crf": _ADDONS + ": tfa.text.crf",
    "cudnn_rnn": _KERAS + ": tf.keras.layers.LSTM and GRU run on cuDNN",
    "decision_trees": "pip install tensorflow-decision-forests",
    "deprecated": "its summaries are in tf.compat.v1.summary: scalar, histogram, image, audio, merge, merge_all",
    "distribute": "it is part of TensorFlow: tf.distribute",
    "distributions": _PROBABILITY + "; the basic ones are in tf.compat.v1.distributions",
    "estimator": "tf.estimator, its base, left TensorFlow with 2.16; use tf.keras",
    "factorization": _NOTHING + "; scikit-learn has k-means, Gaussian mixtures and matrix factorization",
    "feature_column": "it is part of TensorFlow: tf.feature_column.sequence_numeric_column and so on",
    "ffmpeg": "pip install tensorflow-io, which decodes audio and video",
    "fused_conv": _NOTHING + "; tf.function(jit_compile=True) fuses ops",
    "graph_editor": _GRAPHS,
    "grid_rnn": _NOTHING + "; tf.keras.layers.RNN runs cells of your own",
    "hadoop": "pip install tensorflow-io",
    "hooks": "it is part of TensorFlow: tf.compat.v1.train.ProfilerHook and its like",
    "ignite": "pip install tensorflow-io",
    "input_pipeline": "obtain_next was an op of contrib's own; tf.data.Dataset gives elements one after the other",
    "integrate": _PROBABILITY + ": tfp.math.ode",
    "kafka": "pip install tensorflow-io",
    "keras": "it is part of TensorFlow: tf.keras",
    "kernel_methods": "tf.keras.layers.experimental.RandomFourierFeatures had it, up to Keras 2",
    "kinesis": "pip install tensorflow-io",
    "labeled_tensor": _NOTHING + "; xarray names the axes of arrays",
    "legacy_seq2seq": _ADDONS + ": tfa.seq2seq, with another interface",
    "libsvm": "read the lines by a TextLineReader, and split them by tf.strings.split",
    "linear_optimizer": "the op is tf.raw_ops.SdcaOptimizerV2",
    "losses": "they are in tf.compat.v1.losses, with labels first and predictions second",
    "memory_stats": "it is part of TensorFlow: tf.config.experimental.get_memory_info",
    "mixed_precision": "it is part of TensorFlow: tf.keras.mixed_precision",
    "model_pruning": "pip install tensorflow-model-optimization",
    "nearest_neighbor": _NOTHING + "; the package scann searches for neighbours",
    "nn": "tf.compat.v1.nn has what is left of it",
    "opt": _ADDONS + ", most of its optimizers; tf.keras.optimizers has the rest",
    "optimizer_v2": "tf.compat.v1.train and tf.keras.optimizers have the optimizers",
    "periodic_resample": _NOTHING + "; tf.nn.depth_to_space is its usual case",
    "predictor": "load the model by tf.saved_model.load and call its signature",
    "proto": "it is part of TensorFlow: tf.io.decode_proto, tf.io.encode_proto",
    "quantization": "it is part of TensorFlow: tf.quantization",
    "quantize": "pip install tensorflow-model-optimization",
    "receptive_field": "github.com/google-research/receptive_field took it over",
    "recurrent": "write the loop by tf.while_loop, or use tf.keras.layers.RNN",
    "reduce_slice_ops": "tf.math.segment_sum and its like do most of it",
    "remote_fused_graph": "see tf.lite and its delegates",
    "resampler": _ADDONS + ": tfa.image.resampler; queuecompat.contrib.image has dense_image_warp",
    "rpc": "use grpc itself, in tf.py_function",
    "saved_model": "it is part of TensorFlow: tf.saved_model, tf.keras.models.load_model",
    "seq2seq": _ADDONS + ": tfa.seq2seq",
    "session_bundle": "use tf.saved_model",
    "signal": "it is part of TensorFlow: tf.signal",
    "solvers": "tf.linalg.experimental.conjugate_gradient, tf.linalg.lstsq",
    "sparsemax": _ADDONS + ": tfa.activations.sparsemax",
    "specs": _NOTHING + "; tf.keras.Sequential writes models in one line",
    "stat_summarizer": "the TensorBoard profiler shows it",
    "stateless": "it is part of TensorFlow: tf.random.stateless_uniform and its like",
    "summary": "tf.compat.v1.summary in graphs, tf.summary in eager mode",
    "tensor_forest": "pip install tensorflow-decision-forests",
    "tensorboard": "pip install tensorboard, and use tensorboard.plugins",
    "tensorrt": "it is part of TensorFlow: tf.experimental.tensorrt",
    "testing": "it is part of TensorFlow: tf.test",
    "text": "pip install tensorflow-text",
    "tfprof": "it is part of TensorFlow: tf.compat.v1.profiler",
    "timeseries": "tf.keras.utils.timeseries_dataset_from_array makes the windows",
    "tpu": "it is part of TensorFlow: tf.tpu, tf.distribute.TPUStrategy",
    "util": "it is part of TensorFlow: tf.get_static_value, tf.make_ndarray, tf.make_tensor_proto",
}


def absent(name: str) -> str:
    """What the AttributeError for ``contrib.<name>`` says."""
    if name in INSTEAD:
        return f"tf.contrib.{name} is not part of TensorFlow 2: {INSTEAD[name]}"
    return f"tf.contrib.{name} is not part of TensorFlow 2, and queuecompat has no replacement for it"
