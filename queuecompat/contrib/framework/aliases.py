"""The names of ``tf.contrib.framework`` that are the same objects as names of ``tf.compat.v1``."""

from __future__ import annotations

import tensorflow.compat.v1 as tf

__all__ = [
    "assert_global_step",
    "assert_same_float_dtype",
    "assert_scalar",
    "convert_to_tensor_or_sparse_tensor",
    "create_global_step",
    "get_global_step",
    "get_or_create_global_step",
    "init_from_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]

assert_global_step = tf.train.assert_global_step
assert_same_float_dtype = tf.debugging.assert_same_float_dtype
assert_scalar = tf.debugging.assert_scalar
convert_to_tensor_or_sparse_tensor = tf.convert_to_tensor_or_sparse_tensor
create_global_step = tf.train.create_global_step
get_global_step = tf.train.get_global_step
get_or_create_global_step = tf.train.get_or_create_global_step
init_from_checkpoint = tf.train.init_from_checkpoint
list_variables = tf.train.list_variables
load_checkpoint = tf.train.load_checkpoint
load_variable = tf.train.load_variable
