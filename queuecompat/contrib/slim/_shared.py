"""The names that slim shared with ``tf.contrib.layers`` and ``tf.contrib.framework``, and that queuecompat has."""

from __future__ import annotations

from typing import Dict

__all__ = ["SHARED"]

_LAYERS = (
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "apply_regularization",
    "bucketized_column",
    "check_feature_columns",
    "create_feature_spec_for_parsing",
    "crossed_column",
    "embedding_column",
    "flatten",
    "input_from_feature_columns",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "make_place_holder_tensors_for_base_features",
    "one_hot_column",
    "one_hot_encoding",
    "optimize_loss",
    "parse_feature_columns_from_examples",
    "parse_feature_columns_from_sequence_examples",
    "real_valued_column",
    "safe_embedding_lookup_sparse",
    "shared_embedding_columns",
    "sparse_column_with_hash_bucket",
    "sparse_column_with_integerized_feature",
    "sparse_column_with_keys",
    "sparse_column_with_vocabulary_file",
    "sum_regularizer",
    "variance_scaling_initializer",
    "weighted_sparse_column",
    "weighted_sum_from_feature_columns",
    "xavier_initializer",
    "xavier_initializer_conv2d",
)
_FRAMEWORK = (
    "VariableDeviceChooser",
    "add_arg_scope",
    "add_model_variable",
    "arg_scope",
    "arg_scoped_arguments",
    "assert_global_step",
    "assert_or_get_global_step",
    "assign_from_checkpoint",
    "assign_from_checkpoint_fn",
    "assign_from_values",
    "assign_from_values_fn",
    "create_global_step",
    "current_arg_scope",
    "filter_variables",
    "get_global_step",
    "get_local_variables",
    "get_model_variables",
    "get_or_create_global_step",
    "get_trainable_variables",
    "get_unique_variable",
    "get_variable_full_name",
    "get_variables",
    "get_variables_by_name",
    "get_variables_by_suffix",
    "get_variables_to_restore",
    "global_variable",
    "has_arg_scope",
    "local_variable",
    "model_variable",
    "variable",
)
# From each name to where it is.
SHARED: Dict[str, str] = {
    **{name: f"queuecompat.contrib.layers:{name}" for name in _LAYERS},
    **{name: f"queuecompat.contrib.framework:{name}" for name in _FRAMEWORK},
}
