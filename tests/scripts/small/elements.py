"""The elements of a program's input function: ``python elements.py PROGRAM FUNCTION COUNT [PREPARE]``.

Under TF 1.15.5 a session reads them. Otherwise ``queuecompat.as_dataset`` does, in eager mode; of the program's
file only the line ``import tensorflow as tf`` is different then, as it is in the file of somebody who moves on.

Prints one line of JSON: of each element (at most COUNT) the list of its components, in ``nest``'s order.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Callable, Dict, Iterator, List

import tensorflow as tf

if not tf.__version__.startswith("1."):
    import queuecompat


def _module(path: str, import_line: str) -> Dict[str, Any]:
    with open(path) as file:
        source = file.read()
    names = {"__name__": "inputs_of_a_program", "__file__": path}
    exec(compile(source.replace("import tensorflow as tf\n", import_line), path, "exec"), names)
    return names


def _of_session(inputs: Callable[[], Any]) -> Iterator[Any]:
    tensors = inputs()
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tf.tables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        while True:
            try:
                yield session.run(tensors)
            except (tf.errors.OutOfRangeError, GeneratorExit):
                break
        coord.request_stop()
        coord.join(threads)


def _of_dataset(inputs: Callable[[], Any]) -> Iterator[Any]:
    return iter(queuecompat.as_dataset(inputs, strict=True))


def _flat(value: Any) -> List[Any]:
    if isinstance(value, dict):
        return [one for key in sorted(value) for one in _flat(value[key])]
    if isinstance(value, (tf.SparseTensor, tf.compat.v1.SparseTensorValue)):
        return [_plain(part) for part in (value.indices, value.values, value.dense_shape)]
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _flat(part)]
    return [_plain(value)]


def _plain(value: Any) -> Any:
    value = value.numpy() if isinstance(value, tf.Tensor) else value
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.decode("latin-1") if isinstance(value, bytes) else value


def main(path: str, function: str, count: str, prepare: str = "") -> None:
    is_judge = tf.__version__.startswith("1.")
    if not is_judge:
        # Where programs look for contrib while they are imported.
        queuecompat.install()
    names = _module(path, f"import tensorflow{'' if is_judge else '.compat.v1'} as tf\n")
    if prepare:
        names[prepare]()
    elements = []
    for element in (_of_session if is_judge else _of_dataset)(names[function]):
        elements.append(_flat(element))
        if len(elements) == int(count):
            break
    print(json.dumps(elements))


if __name__ == "__main__":
    main(*sys.argv[1:])
