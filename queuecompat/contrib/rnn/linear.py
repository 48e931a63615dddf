"""The linear maps of ``core_rnn_cell``, which cells and decoders that programs define themselves are made of.

They were private, but many programs import them: ``from tensorflow.contrib.rnn.python.ops import core_rnn_cell``. The
variables and ops have the names of TF 1.15.5.
Source: TF 1.15.5 ``contrib/rnn/python/ops/core_rnn_cell.py``.
"""

from __future__ import annotations

from typing import Any, List, Optional

import tensorflow.compat.v1 as tf

__all__ = ["Linear", "linear"]


class Linear:
    """``_Linear``: a linear map of matrices that are joined along their columns; it can be called several times.

    Args:
      args: a tensor of shape ``[n, size]``, or a list of such tensors with sizes of their own. An object that is made
        from a single tensor is called with a single one.
      output_size: the number of columns of the result.
      build_bias: whether to add a vector.
      bias_initializer: of that vector; zeros by default.
      kernel_initializer: of the matrix; that of the variable scope by default.

    Raises:
      ValueError: there are no *args*, or one of them is not a matrix or has an unknown number of columns.
    """

    def __init__(
        self,
        args: Any,
        output_size: Any,
        build_bias: bool,
        bias_initializer: Optional[Any] = None,
        kernel_initializer: Optional[Any] = None,
    ) -> None:
        self._is_sequence = tf.nest.is_nested(args)
        matrices = _matrices(args)
        columns, dtype = _columns(matrices), matrices[0].dtype
        with tf.variable_scope(tf.get_variable_scope()) as scope:
            self._kernel = tf.get_variable("kernel", [columns, output_size], dtype, kernel_initializer)
            self._bias = _bias(scope, output_size, dtype, bias_initializer) if build_bias else None

    def __call__(self, args: Any) -> Any:
        """Returns the map of *args*, ``[n, output_size]``."""
        product = _product(args if self._is_sequence else [args], self._kernel)
        return product if self._bias is None else tf.nn.bias_add(product, self._bias)


def linear(
    args: Any,
    output_size: Any,
    bias: bool,
    bias_initializer: Optional[Any] = None,
    kernel_initializer: Optional[Any] = None,
) -> Any:
    """``_linear``: makes the variables of a linear map, and returns the map of *args*, ``[n, output_size]``.

    The arguments and errors are those of ``Linear``.
    """
    matrices = _matrices(args)
    columns, dtype = _columns(matrices), matrices[0].dtype
    with tf.variable_scope(tf.get_variable_scope()) as scope:
        kernel = tf.get_variable("kernel", [columns, output_size], dtype, kernel_initializer)
        product = _product(matrices, kernel)
        return tf.nn.bias_add(product, _bias(scope, output_size, dtype, bias_initializer)) if bias else product


def _matrices(args: Any) -> List[Any]:
    if args is None or (tf.nest.is_nested(args) and not args):
        raise ValueError("`args` must be specified")
    return args if tf.nest.is_nested(args) else [args]


def _columns(matrices: List[Any]) -> int:
    shapes = [one.shape for one in matrices]
    for shape in shapes:
        if shape.ndims != 2:
            raise ValueError(f"linear is expecting 2D arguments: {shapes}")
        if shape.as_list()[1] is None:
            raise ValueError(f"linear expects shape[1] to be provided for shape {shape}")
    return sum(shape.as_list()[1] for shape in shapes)


def _bias(scope: Any, size: Any, dtype: Any, initializer: Any) -> Any:
    with tf.variable_scope(scope) as inner:
        inner.set_partitioner(None)
        if initializer is None:
            initializer = tf.constant_initializer(0.0, dtype=dtype)
        return tf.get_variable("bias", [size], dtype, initializer)


def _product(matrices: List[Any], kernel: Any) -> Any:
    return tf.matmul(matrices[0] if len(matrices) == 1 else tf.concat(matrices, 1), kernel)
