"""The small images for the cases of image ops, and how such a case is run and recorded."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, words
from .records import images

__all__ = [
    "BATCH",
    "both_kinds",
    "constant",
    "drawn",
    "each",
    "every",
    "fed",
    "of_unknown_shape",
    "picture",
    "pictures",
]

RUNS = 3
BATCH = 2

Build = Callable[[], Dict[str, Any]]


def _run(tf: Any, build: Build, runs: int) -> Result:
    """All values of every output flat, and in ``described`` what else is known of them, a line each.

    Four arrays for each of a hundred small outputs would be mostly file headers.
    """
    result = collect(tf, build, max_steps=runs)
    outputs = [key[: -len(".dtype")] for key in result if key.endswith(".dtype")]
    lines = []
    for output in outputs:
        static, shapes = result[f"{output}.static"].tolist(), result[f"{output}.shapes"].tolist()
        lines.append(f"{output}: {result[output + '.dtype'].item().decode()} {static} {shapes}")
    values = {output: result[output] for output in outputs}
    return dict(values, described=words(sorted(lines)))


def constant(tf: Any, build: Build) -> Result:
    return _run(tf, build, runs=1)


def drawn(tf: Any, build: Build) -> Result:
    return _run(tf, build, runs=RUNS)


def picture(height: int, width: int, channels: int = 3, seed: int = 0) -> np.ndarray:
    """A float image of noise in [0, 1): no two of its values are alike."""
    return np.random.RandomState(seed).rand(height, width, channels).astype(np.float32)


def pictures(count: int, height: int = 5, width: int = 4, channels: int = 3) -> np.ndarray:
    return np.stack([picture(height, width, channels, seed) for seed in range(count)])


def fed(tf: Any, value: np.ndarray) -> Any:
    """*value*, of which the graph knows the shape alone: nothing of it is computed before the run."""
    return of_unknown_shape(tf, value, value.shape)


def both_kinds(tf: Any) -> Dict[str, Any]:
    """An integer image, a float one, and a batch of each."""
    return {
        "bytes": fed(tf, images(1)[0]),
        "floats": fed(tf, picture(5, 4)),
        "byte_batch": fed(tf, images(BATCH)),
        "float_batch": fed(tf, pictures(BATCH)),
    }


def every(tf: Any, **functions: Callable[[Any], Any]) -> Dict[str, Any]:
    """Every function of every image of `both_kinds`."""
    return {
        f"{name}_of_{kind}": function(image)
        for kind, image in both_kinds(tf).items()
        for name, function in functions.items()
    }


def each(tf: Any, **functions: Callable[[Any], Any]) -> Dict[str, Any]:
    """Every function of one integer image and of a batch of floats: enough where nothing is drawn."""
    return {
        name: output for name, output in every(tf, **functions).items() if name.endswith(("_of_bytes", "_float_batch"))
    }


def of_unknown_shape(tf: Any, value: np.ndarray, shape: Any) -> Any:
    """*value*, of which the graph knows no more than *shape*."""
    return tf.placeholder_with_default(tf.constant(value), shape)
