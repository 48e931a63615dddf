"""Runs pipelines in three forms; run by ``test_tf_data_values.py``: ``python comparing.py``.

In: a JSON object on the standard input, from names to pairs: an input function for ``as_dataset``, and its new form.
Out: one JSON line for each: what the compiled pipeline, the program that ``explain`` writes of it, and the rewritten
function give (fifteen elements, the specification), and the kinds of steps of the compiled pipeline.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Dict

import tensorflow as tf

import queuecompat

ELEMENTS = 15


def described(dataset: tf.data.Dataset) -> Dict[str, Any]:
    elements = [[part.tolist() for part in tf.nest.flatten(one)] for one in dataset.take(ELEMENTS).as_numpy_iterator()]
    specs = [[spec.shape.as_list(), spec.dtype.name] for spec in tf.nest.flatten(dataset.element_spec)]
    return {"elements": [*map(repr, elements)], "spec": specs}


def inputs(code: str) -> Any:
    """The function ``inputs`` of a module."""
    names: Dict[str, Any] = {}
    exec(compile(code, "inputs.py", "exec"), names)
    return names["inputs"]


def compared(old: str, new: str) -> Dict[str, Any]:
    dataset = queuecompat.as_dataset(inputs(old), strict=True)
    # Of a dataset of its own, for seeds count how often they are drawn from.
    program = queuecompat.explain(queuecompat.as_dataset(inputs(old)), code=True).build()
    steps = [type(step).__name__ for step in queuecompat.explain(dataset).plan.steps]
    # Without AutoGraph, which wants to read a file.
    rewritten = tf.autograph.experimental.do_not_convert(inputs(new))()
    return {
        "compiled": described(dataset),
        "program": described(program),
        "rewritten": described(rewritten),
        "steps": steps,
    }


def main() -> None:
    for name, (old, new) in json.load(sys.stdin).items():
        print(json.dumps({"name": name, **compared(old, new)}), flush=True)


if __name__ == "__main__":
    main()
