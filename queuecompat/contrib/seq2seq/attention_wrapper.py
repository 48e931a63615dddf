"""A cell with attention, and its state.

Source: TF 1.15.5 ``contrib/seq2seq/python/ops/attention_wrapper.py``.
"""

from __future__ import annotations

from typing import Any, Callable, List, NamedTuple, Optional, Tuple

import tensorflow.compat.v1 as tf

from queuecompat.contrib._aliases import cell_class
from queuecompat.contrib.seq2seq.attention import AttentionMechanism, _side, _zero_state_tensors
from queuecompat.contrib.seq2seq.basic_decoder import check_cell

__all__ = ["AttentionWrapper", "AttentionWrapperState"]

_RNNCell: Any = cell_class("RNNCell", "contrib.seq2seq")


class AttentionWrapperState(NamedTuple):
    """The state of an ``AttentionWrapper``.

    cell_state: of the cell.
    attention: ``[n, size]``, of the step before.
    time: the number of the step, a scalar.
    alignments, attention_state: ``[n, rows]``, and the state of the mechanism; a tuple for a list of mechanisms.
    alignment_history: a TensorArray of the alignments of each step (a tuple for a list), or ().
    """

    cell_state: Any
    attention: Any
    time: Any
    alignments: Any
    alignment_history: Any
    attention_state: Any

    def clone(self, **kwargs: Any) -> AttentionWrapperState:
        """A copy with other parts, such as ``zero_state.clone(cell_state=encoder_state)``.

        Raises:
          ValueError: a part has a different structure or shape.
        """
        return tf.nest.map_structure(_with_shape_of, self, self._replace(**kwargs))


class AttentionWrapper(_RNNCell):
    """A cell whose inputs and outputs are extended by what attention takes from a memory.

    In each step: the cell runs on the inputs and the attention of the step before; its output is the query of the
    mechanism; the context is the sum of the values of the memory, weighted by the alignments; the attention is the
    context, or what a layer makes of output and context.

    Args:
      cell: the cell.
      attention_mechanism: an ``AttentionMechanism``, or a list.
      attention_layer_size: of a linear layer without biases, a list for a list of mechanisms; none if None.
      alignment_history: keeps the alignments of every step, for ``final_state.alignment_history.stack()``.
      cell_input_fn: of the inputs and the attention; concatenates them if None.
      output_attention: the output is the attention; if False, the output of the cell.
      initial_cell_state: what ``zero_state`` has as the state of the cell.
      attention_layer: in place of *attention_layer_size*: a layer, or a list.
      attention_fn: of the mechanism, the output of the cell, the state of the mechanism and the layer; returns the
        attention, the alignments and the next state of the mechanism.
      dtype: of the layers.
    Raises:
      TypeError: an argument is of a different type.
      ValueError: *attention_layer_size* and *attention_layer*, or not as many of these as mechanisms.
      AttributeError: Keras 2 is missing.
    Differs from TF1: None known.
    """

    def __init__(
        self,
        cell: Any,
        attention_mechanism: Any,
        attention_layer_size: Any = None,
        alignment_history: bool = False,
        cell_input_fn: Optional[Callable[[Any, Any], Any]] = None,
        output_attention: bool = True,
        initial_cell_state: Any = None,
        name: Optional[str] = None,
        attention_layer: Any = None,
        attention_fn: Optional[Callable[..., Tuple[Any, Any, Any]]] = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        check_cell(cell)
        self._is_multi = isinstance(attention_mechanism, (list, tuple))
        mechanisms = tuple(attention_mechanism) if self._is_multi else (attention_mechanism,)
        for mechanism in mechanisms:
            if not isinstance(mechanism, AttentionMechanism):
                raise TypeError(f"attention_mechanism must be AttentionMechanisms, not {type(mechanism).__name__}")
        if cell_input_fn is not None and not callable(cell_input_fn):
            raise TypeError(f"cell_input_fn must be callable, not {type(cell_input_fn).__name__}")
        self._cell_input_fn = cell_input_fn or (lambda inputs, attention: tf.concat([inputs, attention], -1))
        self._attention_layers, sizes = _layers(cell, mechanisms, attention_layer_size, attention_layer, dtype)
        self._attention_layer_size = sum(sizes)
        self._cell, self._attention_mechanisms = cell, mechanisms
        self._attention_fn = attention_fn or _compute_attention
        self._output_attention, self._alignment_history = output_attention, alignment_history
        # A function, since Keras wraps tuples that are attributes.
        self._first_cell_state: Any = None
        with tf.name_scope(name, "AttentionWrapperInit"):
            if initial_cell_state is not None:
                state = self._checked(
                    initial_cell_state, _side(tf.nest.flatten(initial_cell_state)[-1], 0), "check_initial_cell_state"
                )
                self._first_cell_state = lambda: state

    @property
    def output_size(self) -> Any:
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self) -> AttentionWrapperState:
        sizes = [one.alignments_size for one in self._attention_mechanisms]
        return AttentionWrapperState(
            cell_state=self._cell.state_size,
            time=tf.TensorShape([]),
            attention=self._attention_layer_size,
            alignments=self._item_or_tuple(sizes),
            attention_state=self._item_or_tuple([one.state_size for one in self._attention_mechanisms]),
            alignment_history=self._item_or_tuple([size if self._alignment_history else () for size in sizes]),
        )

    def zero_state(self, batch_size: Any, dtype: Any) -> AttentionWrapperState:
        """The state before the first step.

        Raises:
          tf.errors.InvalidArgumentError: *batch_size* is not that of the memory, such as after ``tile_batch``; at run
            time, unless both are known.
        """
        with tf.name_scope(type(self).__name__ + "ZeroState", values=[batch_size]):
            state = self._first_cell_state() if self._first_cell_state else self._cell.zero_state(batch_size, dtype)
            state = self._checked(state, batch_size, "checked_cell_state")
            alignments = [one.initial_alignments(batch_size, dtype) for one in self._attention_mechanisms]
            return AttentionWrapperState(
                cell_state=state,
                time=tf.zeros([], tf.int32),
                attention=_zero_state_tensors(self._attention_layer_size, batch_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    [one.initial_state(batch_size, dtype) for one in self._attention_mechanisms]
                ),
                alignment_history=self._item_or_tuple(
                    [
                        tf.TensorArray(dtype, size=0, dynamic_size=True, element_shape=one.shape)
                        if self._alignment_history
                        else ()
                        for one in alignments
                    ]
                ),
            )

    def call(self, inputs: Any, state: Any) -> Tuple[Any, AttentionWrapperState]:
        if not isinstance(state, AttentionWrapperState):
            raise TypeError(f"state must be an AttentionWrapperState, not {type(state).__name__}")
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention), state.cell_state)
        output = self._checked(output, _side(output, 0), "checked_cell_output")
        before, histories = (
            one if self._is_multi else [one] for one in (state.attention_state, state.alignment_history)
        )
        attentions, alignments, states, kept = [], [], [], []  # type: List[Any], List[Any], List[Any], List[Any]
        for number, mechanism in enumerate(self._attention_mechanisms):
            layer = self._attention_layers[number] if self._attention_layers else None
            attention, alignment, following = self._attention_fn(mechanism, output, before[number], layer)
            attentions.append(attention)
            alignments.append(alignment)
            states.append(following)
            kept.append(histories[number].write(state.time, alignment) if self._alignment_history else ())
        attention = tf.concat(attentions, 1)
        next_state = AttentionWrapperState(
            cell_state=cell_state,
            time=state.time + 1,
            attention=attention,
            alignments=self._item_or_tuple(alignments),
            attention_state=self._item_or_tuple(states),
            alignment_history=self._item_or_tuple(kept),
        )
        return attention if self._output_attention else output, next_state

    def _item_or_tuple(self, items: List[Any]) -> Any:
        return tuple(items) if self._is_multi else items[0]

    def _checked(self, tensors: Any, batch_size: Any, name: str) -> Any:
        """*tensors*, unless *batch_size* is not that of every memory."""
        message = (
            f"the batch of AttentionWrapper {self._base_name} is not that of its memory; with a BeamSearchDecoder, "
            "tile memory, memory_sequence_length and initial states with tf.contrib.seq2seq.tile_batch"
        )
        checks = [tf.assert_equal(batch_size, one.batch_size, message=message) for one in self._attention_mechanisms]
        with tf.control_dependencies([one for one in checks if one is not None]):
            return tf.nest.map_structure(lambda one: tf.identity(one, name=name), tensors)


def _layers(cell: Any, mechanisms: Tuple[Any, ...], sizes: Any, layers: Any, dtype: Any) -> Tuple[Any, List[int]]:
    """The layer of each mechanism, or None, and the sizes of their attention."""
    if sizes is not None and layers is not None:
        raise ValueError("attention_layer_size and attention_layer cannot both be passed")
    for title, given in (("attention_layer_size", sizes), ("attention_layer", layers)):
        count = len(given) if isinstance(given, (list, tuple)) else 1
        if given is not None and count != len(mechanisms):
            raise ValueError(f"{title} must have one item per mechanism: {len(mechanisms)}, not {count}")
    depths = [mechanism.values.shape.as_list()[-1] for mechanism in mechanisms]
    if sizes is not None:
        sizes = list(sizes) if isinstance(sizes, (list, tuple)) else [sizes]
        made = [tf.layers.Dense(size, name="attention_layer", use_bias=False, dtype=dtype) for size in sizes]
        return tuple(made), sizes
    if layers is None:
        return None, depths
    layers = tuple(layers) if isinstance(layers, (list, tuple)) else (layers,)
    shapes = [layer.compute_output_shape([None, cell.output_size + depth]) for layer, depth in zip(layers, depths)]
    return layers, [tf.TensorShape(shape).as_list()[-1] for shape in shapes]


def _compute_attention(
    attention_mechanism: Any, cell_output: Any, attention_state: Any, attention_layer: Any
) -> Tuple[Any, Any, Any]:
    """The attention ``[n, size]``, the alignments ``[n, rows]`` and the next state of the mechanism."""
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = tf.squeeze(tf.matmul(tf.expand_dims(alignments, 1), attention_mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(tf.concat([cell_output, context], 1)), alignments, next_state


def _with_shape_of(old: Any, new: Any) -> Any:
    if not (tf.is_tensor(old) and tf.is_tensor(new)):
        return new
    if not old.shape.is_compatible_with(new.shape):
        raise ValueError(f"a part of AttentionWrapperState has shape {old.shape}, but its replacement {new.shape}")
    if old.shape.is_fully_defined() and new.shape.is_fully_defined():
        return new
    check = tf.assert_equal(tf.shape(old), tf.shape(new), message="a part of AttentionWrapperState has a new shape")
    with tf.control_dependencies([check]):
        return tf.identity(new)
