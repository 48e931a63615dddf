"""``tf.contrib.framework``: variables by name and scope, argument scopes, and small helpers, under TF1's names.

What ``tf.compat.v1`` still has under a different name is TensorFlow's own. ``arg_scope`` is tf-slim's if tf-slim is
installed, so that it also applies to tf-slim's layers.
"""

from __future__ import annotations

from queuecompat._lazy import lazily

_HERE = "queuecompat.contrib.framework"
_PLACES = {
    "TensorSpec": "tensorflow:TensorSpec",
    "VariableDeviceChooser": f"{_HERE}.variables:VariableDeviceChooser",
    "add_arg_scope": f"{_HERE}.arg_scopes:add_arg_scope",
    "add_model_variable": f"{_HERE}.variables:add_model_variable",
    "arg_scope": f"{_HERE}.arg_scopes:arg_scope",
    "arg_scoped_arguments": f"{_HERE}.arg_scopes:arg_scoped_arguments",
    "argsort": "tensorflow:argsort",
    "assert_global_step": f"{_HERE}.aliases:assert_global_step",
    "assert_or_get_global_step": f"{_HERE}.variables:assert_or_get_global_step",
    "assert_same_float_dtype": f"{_HERE}.aliases:assert_same_float_dtype",
    "assert_scalar": f"{_HERE}.aliases:assert_scalar",
    "assert_scalar_int": f"{_HERE}.shapes:assert_scalar_int",
    "assign_from_checkpoint": f"{_HERE}.assigning:assign_from_checkpoint",
    "assign_from_checkpoint_fn": f"{_HERE}.assigning:assign_from_checkpoint_fn",
    "assign_from_values": f"{_HERE}.assigning:assign_from_values",
    "assign_from_values_fn": f"{_HERE}.assigning:assign_from_values_fn",
    "convert_to_tensor_or_sparse_tensor": f"{_HERE}.aliases:convert_to_tensor_or_sparse_tensor",
    "create_global_step": f"{_HERE}.aliases:create_global_step",
    "current_arg_scope": f"{_HERE}.arg_scopes:current_arg_scope",
    "deprecated": f"{_HERE}.deprecating:deprecated",
    "deprecated_arg_values": f"{_HERE}.deprecating:deprecated_arg_values",
    "deprecated_args": f"{_HERE}.deprecating:deprecated_args",
    "filter_variables": f"{_HERE}.variables:filter_variables",
    "get_global_step": f"{_HERE}.aliases:get_global_step",
    "get_graph_from_inputs": f"{_HERE}.graphs:get_graph_from_inputs",
    "get_local_variables": f"{_HERE}.variables:get_local_variables",
    "get_model_variables": f"{_HERE}.variables:get_model_variables",
    "get_name_scope": f"{_HERE}.graphs:get_name_scope",
    "get_or_create_global_step": f"{_HERE}.aliases:get_or_create_global_step",
    "get_placeholders": f"{_HERE}.graphs:get_placeholders",
    "get_trainable_variables": f"{_HERE}.variables:get_trainable_variables",
    "get_unique_variable": f"{_HERE}.variables:get_unique_variable",
    "get_variable_full_name": f"{_HERE}.variables:get_variable_full_name",
    "get_variables": f"{_HERE}.variables:get_variables",
    "get_variables_by_name": f"{_HERE}.variables:get_variables_by_name",
    "get_variables_by_suffix": f"{_HERE}.variables:get_variables_by_suffix",
    "get_variables_to_restore": f"{_HERE}.variables:get_variables_to_restore",
    "global_variable": f"{_HERE}.variables:global_variable",
    "has_arg_scope": f"{_HERE}.arg_scopes:has_arg_scope",
    "init_from_checkpoint": f"{_HERE}.aliases:init_from_checkpoint",
    "is_tensor": "tensorflow:is_tensor",
    "list_variables": f"{_HERE}.aliases:list_variables",
    "load_checkpoint": f"{_HERE}.aliases:load_checkpoint",
    "load_variable": f"{_HERE}.aliases:load_variable",
    "local_variable": f"{_HERE}.variables:local_variable",
    "model_variable": f"{_HERE}.variables:model_variable",
    "nest": f"{_HERE}.nest",
    "prepend_name_scope": f"{_HERE}.graphs:prepend_name_scope",
    "py_func": f"{_HERE}.graphs:py_func",
    "reduce_sum_n": f"{_HERE}.shapes:reduce_sum_n",
    "remove_squeezable_dimensions": f"{_HERE}.shapes:remove_squeezable_dimensions",
    "smart_cond": f"{_HERE}.graphs:smart_cond",
    "smart_constant_value": f"{_HERE}.graphs:smart_constant_value",
    "sort": "tensorflow:sort",
    "strip_name_scope": f"{_HERE}.graphs:strip_name_scope",
    "variable": f"{_HERE}.variables:variable",
    "with_same_shape": f"{_HERE}.shapes:with_same_shape",
    "with_shape": f"{_HERE}.shapes:with_shape",
}
__all__ = sorted(_PLACES)

__getattr__, __dir__ = lazily(__name__, _PLACES)
