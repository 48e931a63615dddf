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

__all__ = ["GONE", "INSTEAD", "OURS", "PRIVATE"]

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
