"""Published packages of TensorFlow 1 that have input pipelines, and what is run of each.

Rule 1: nothing of a package is changed, and nothing of it is here: pip fetches it, without what it requires.
Rule 2: what a package tests itself is run as its tests; otherwise a program here uses it as its examples do.
"""

from __future__ import annotations

from typing import NamedTuple, Tuple

__all__ = ["PACKAGES", "Package"]


class Package(NamedTuple):
    """One package.

    Attributes:
      requirement: what pip installs.
      folders: of the parts that are TensorFlow 1 code, below the folder that pip fills.
      tests: modules of its own that run tests.
      program: in ``programs``, without ".py"; "": there is none.
    """

    requirement: str
    folders: Tuple[str, ...]
    tests: Tuple[str, ...] = ()
    program: str = ""


PACKAGES = {
    "object_detection": Package(
        "object_detection==0.0.3",
        ("object_detection",),
        ("object_detection.core.batcher_test", "object_detection.core.prefetcher_test"),
    ),
    "tf_slim": Package(
        "tf_slim==1.1.0",
        ("tf_slim",),
        (
            "tf_slim.data.dataset_data_provider_test",
            "tf_slim.data.parallel_reader_test",
            "tf_slim.data.prefetch_queue_test",
            "tf_slim.data.tfexample_decoder_test",
        ),
    ),
    "tf_object_detection": Package(
        "tf-object-detection==0.0.3",
        ("object_detection", "nets", "deployment"),
        ("object_detection.legacy.trainer_test",),
    ),
    "magenta": Package("magenta==1.3.1", ("magenta",), program="magenta_sequences"),
    "tensor2tensor": Package(
        "tensor2tensor==1.0.14",
        ("tensor2tensor",),
        ("tensor2tensor.utils.data_reader_test",),
        "tensor2tensor_buckets",
    ),
    "skip_thoughts": Package("skip-thoughts==0.1.1", ("skip_thoughts",), program="skip_thoughts_queue"),
    "sonnet": Package("dm-sonnet==1.23", ("sonnet",), program="sonnet_texts"),
    "sugartensor": Package("sugartensor==1.0.0.2", ("sugartensor",), program="sugartensor_producer"),
    "tensorpack": Package("tensorpack==0.9.1", ("tensorpack",), program="tensorpack_queue"),
    "cutkum": Package("cutkum==2.4", ("cutkum",), program="cutkum_buckets"),
    "tensorflow_nlp": Package("tensorflow-nlp==0.0.1", ("nlp",), program="tensorflow_nlp_word2vec"),
    "ucnn": Package("ucnn==0.1.7", ("ucnn",), program="ucnn_inputs"),
}
