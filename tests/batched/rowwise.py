"""A slice of TensorFlow's ops run on a whole batch by its rules, and on one element after the other."""

from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np
import tensorflow as tf

from queuecompat._analysis.frontier import Given
from queuecompat._analysis.slicing import Slice, cut

__all__ = ["assert_same", "runner", "slice_of"]

Build = Callable[..., Any]


def slice_of(build: Build, arrays: Sequence[np.ndarray]) -> Tuple[Slice, List[np.ndarray]]:
    """The slice that *build* makes of one row of each of *arrays*, in the default graph; the arrays in its order."""
    # A placeholder would have to be fed; the slice takes what comes out of these.
    rows = [tf.identity(tf.compat.v1.placeholder(_dtype(one), one.shape[1:])) for one in arrays]
    outputs = build(*rows)
    body = cut(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs], Given(rows))
    by_name = {row.name: array for row, array in zip(rows, arrays)}
    return body, [by_name[source.name] for source in body.sources]


def runner(body: Slice, session: Any) -> Callable[..., List[np.ndarray]]:
    """*body* as a function of arrays."""
    inputs = [tf.compat.v1.placeholder(source.dtype) for source in body.sources]
    results = body.function()(*inputs)
    return lambda *arrays: session.run(list(results), dict(zip(inputs, arrays)))


def assert_same(
    build: Build,
    arrays: Sequence[np.ndarray],
    *,
    whole: Optional[bool] = True,
    lengths: Sequence[Any] = (),
    before: Any = None,
) -> Any:
    """Every bit of a batch is that of its rows.

    Args:
      whole: whether no op of it runs for each element; None: that is not known, nor whether any runs on the batch.
      before: a function of the session, run first (initialisers).
    Returns:
      The batched form.
    """
    body, arrays = slice_of(build, arrays)
    form = body.in_batches(lengths)
    if whole is None and (form is None or form.tail is None):
        return form
    assert form.tail is not None, form.remark
    assert whole is None or (form.head is None) == whole, form.remark
    with tf.compat.v1.Session() as session:
        if before is not None:
            before(session)
        alone, tail = runner(body, session), runner(form.tail, session)
        rows = [alone(*row) for row in zip(*arrays)]
        given = [arrays[use] for use in form.uses]
        if form.head is not None:
            head = runner(form.head, session)
            given = [np.stack(column) for column in zip(*(head(*row) for row in zip(*given)))]
        together = tail(*given)
    for one, column in zip(together, zip(*rows)):
        expected = np.array(column, one.dtype)
        assert one.dtype == (object if isinstance(column[0], bytes) else column[0].dtype)
        assert one.shape == expected.shape
        assert one.tolist() == expected.tolist() if one.dtype == object else one.tobytes() == expected.tobytes()
    return form


def _dtype(array: np.ndarray) -> Any:
    return tf.string if array.dtype == object else tf.as_dtype(array.dtype)
