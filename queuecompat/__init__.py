"""queuecompat: TensorFlow 1 queue input pipelines, unchanged, on modern TensorFlow.

Importing this package loads no TensorFlow. Its names do, when they are first used::

    import queuecompat.v1 as tf        # TF1's namespace, its queues compiled to tf.data
    from queuecompat import train      # the tf.train input functions alone
    from queuecompat import image      # TF1's image ops, and crops, cutout, rotation
    from queuecompat.contrib import slim  # what tf.contrib had for input pipelines
    with queuecompat.install(): ...    # the same functions in TensorFlow's own places
    queuecompat.load("cifar10_input.py")  # a TF1 file in a TF2 program
    print(queuecompat.explain())       # the plan of every pipeline in the current graph
    report = queuecompat.report()      # how fast each pipeline is, and what waits for what; print it at the end
    with queuecompat.BackgroundLoader(paths, load, batch_size=64) as loader: ...  # no graph, no TensorFlow
"""

from __future__ import annotations

from queuecompat._lazy import lazily

__all__ = [
    "BackgroundLoader",
    "BadImageError",
    "ImageListLoader",
    "LoadError",
    "LoaderClosedError",
    "__version__",
    "as_dataset",
    "contrib",
    "dataset_from_meta_graph",
    "errors",
    "estimator",
    "explain",
    "image",
    "input_pipeline",
    "install",
    "load",
    "load_ipython_extension",
    "options",
    "queues",
    "readers",
    "records",
    "report",
    "steps",
    "tf1_imports",
    "train",
    "uninstall",
    "v1",
]

__version__ = "0.1.0"

__getattr__, __dir__ = lazily(
    __name__,
    {
        "BackgroundLoader": "queuecompat.loader.background:BackgroundLoader",
        "BadImageError": "queuecompat.loader.images.reading:BadImageError",
        "ImageListLoader": "queuecompat.loader.images.image_list_loader:ImageListLoader",
        "LoadError": "queuecompat.loader.failures:LoadError",
        "LoaderClosedError": "queuecompat.loader.failures:LoaderClosedError",
        "as_dataset": "queuecompat.dataset:as_dataset",
        "contrib": "queuecompat.contrib",
        "dataset_from_meta_graph": "queuecompat.meta_graph:dataset_from_meta_graph",
        "errors": "queuecompat.errors",
        "estimator": "queuecompat.estimator",
        "explain": "queuecompat.explanation:explain",
        "image": "queuecompat.image",
        "input_pipeline": "queuecompat.dataset:input_pipeline",
        "install": "queuecompat.installing:install",
        "load": "queuecompat.importing:load",
        "load_ipython_extension": "queuecompat.notebook:load_ipython_extension",
        "options": "queuecompat._plan.options:options",
        "queues": "queuecompat.queues",
        "readers": "queuecompat.readers",
        "records": "queuecompat.records",
        "report": "queuecompat.reporting.collecting:report",
        "steps": "queuecompat.dataset:steps",
        "tf1_imports": "queuecompat.importing:tf1_imports",
        "train": "queuecompat.train",
        "uninstall": "queuecompat.installing:uninstall",
        "v1": "queuecompat.v1",
    },
    absent=lambda name: f"module 'queuecompat' has no attribute '{name}'",
)
