"""Long sequences in segments, with a state that the training step passes from segment to segment.

::

    batch = batch_sequences_with_states(key, {"input": steps}, {"label": label}, length, {"lstm": zeros}, 20, 32)
    outputs, _ = tf.nn.static_state_saving_rnn(cell, tf.unstack(batch.sequences["input"], axis=1), batch, "lstm")

A segment is returned only after the state of the previous segment was saved: each step must run ``save_state`` for
every state, or the batches stop. Therefore this runs on TensorFlow's own ops (QC211); the pipeline that produces the
examples is compiled.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import tensorflow as tf

from queuecompat import train
from queuecompat._capture.fallback import record_native
from queuecompat._native.barrier import Barrier
from queuecompat._native.padding import checked_multiples, padded
from queuecompat._native.segments import Example, Segments, Taken
from queuecompat._native.sparse_sequences import as_sequence, is_sparse, restored, stored, without_time
from queuecompat._session.entry import require_graph
from queuecompat.contrib.training._examples import checked_example, require_states
from queuecompat.errors import CannotCompileError, calling_line

__all__ = ["NextQueuedSequenceBatch", "SequenceQueueingStateSaver", "batch_sequences_with_states"]

# The name of a sparse context while it is stored as a sequence.
SPARSE_CONTEXT = "_context_in_seq_"


class NextQueuedSequenceBatch:
    """A batch of segments, as ``SequenceQueueingStateSaver.next_batch`` returns it.

    *n* is the batch size. All tensors are outputs of one op: tensors that are run together belong to one batch.

    Args:
      state_saver: the ``SequenceQueueingStateSaver``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/sequence_queueing_state_saver.py``.
    """

    def __init__(self, state_saver: SequenceQueueingStateSaver) -> None:
        self._saver = state_saver

    @property
    def _taken(self) -> Taken:
        return self._saver._taken

    @property
    def batch_size(self) -> tf.Tensor:
        """Scalar int32; less than requested only with *allow_small_batch*."""
        return self._taken.batch_size

    @property
    def total_length(self) -> tf.Tensor:
        """int32 ``[n]``: steps of the whole example, without padding."""
        return self._taken.total_length

    @property
    def length(self) -> tf.Tensor:
        """int32 ``[n]``: steps of the segment, without padding; from 0 to *num_unroll*."""
        return self._taken.length

    @property
    def insertion_index(self) -> tf.Tensor:
        """int64 ``[n]``: starts at -2**63 and increases with each example; older examples come first."""
        return self._taken.insertion_index

    @property
    def key(self) -> tf.Tensor:
        """Strings ``[n]``: ``00000_of_00003:<input_key>`` ..."""
        return self._taken.key

    @property
    def next_key(self) -> tf.Tensor:
        """Strings ``[n]``: the key of the example's next segment, ``STOP:<input_key>`` after the last segment."""
        return self._taken.next_key

    @property
    def sequence(self) -> tf.Tensor:
        """int32 ``[n]``: the number of the segment in its example, starting at 0."""
        return self._taken.sequence

    @property
    def sequence_count(self) -> tf.Tensor:
        """int32 ``[n]``: number of segments of the example."""
        return self._taken.sequence_count

    @property
    def context(self) -> Dict[str, Any]:
        """``[n, *context]`` by name."""
        return self._taken.context

    @property
    def sequences(self) -> Dict[str, Any]:
        """``[n, num_unroll, *step]`` by name."""
        return self._taken.sequences

    def state(self, state_name: str) -> tf.Tensor:
        """``[n, *state]``: the state saved after the previous segment, or the initial state.

        Raises:
          KeyError: there is no such state.
        """
        return self._taken.states[state_name]

    def save_state(self, state_name: str, value: Any, name: Optional[str] = None) -> tf.Operation:
        """The op that saves a state for the next segments. It must be run with each batch.

        Args:
          state_name: one of *initial_states*.
          value: ``[n, *state]``.
          name: for the op.
        Raises:
          KeyError: there is no such state.
          ValueError: *value* has a different shape.
          tf.errors.InvalidArgumentError: the same, at run time.
        """
        if state_name not in self._taken.states:
            raise KeyError(f"no state '{state_name}' was declared; there are {sorted(self._taken.states)}")
        with (
            tf.compat.v1.name_scope(name, "InputQueueingStateSaver_SaveState", [value]),
            self._saver._segments.beside(),
        ):
            return self._saver._segments.save(self._taken, state_name, value)


class SequenceQueueingStateSaver:
    """Cuts examples into segments and keeps states between them. It is the queue of a ``QueueRunner``.

    Args:
      batch_size: segments in a batch, each of a different example; an int or a scalar int32.
      num_unroll: steps in a segment.
      input_length: scalar int32: number of steps of the example, without padding.
      input_key: scalar string, different from those of all other unfinished examples.
      input_sequences: dict of tensors ``[padded_length, *step]``; the length is a multiple of *num_unroll* and the
        same for all of them.
      input_context: dict of tensors ``[*context]``, which are returned with each segment.
      initial_states: dict of ``[*state]``, at least one.
      capacity: maximum number of unfinished examples, not counting one for each thread that runs ``prefetch_op``; at
        least *batch_size*; None: no bound.
      allow_small_batch: whether to return a smaller batch at the end; otherwise it is dropped.
      name: for the ops.
    Raises:
      ValueError: a shape is not known; a name has a colon; there is no sequence or no state;
        *capacity* is too small.
      TypeError: an argument is not a dict, a name is not a string, *input_length* is not int32, *input_key* is not a
        string.
      tf.errors.InvalidArgumentError: at run time, from ``prefetch_op``: wrong lengths; the key of an unfinished
        example.
      RuntimeError: QC101, QC102, QC302.
    Differs from TF1: Threads can be joined after the last segment; TF1 hung there.
    Source: TF 1.15.5 ``contrib/training/python/training/sequence_queueing_state_saver.py``.
    """

    def __init__(
        self,
        batch_size: Any,
        num_unroll: int,
        input_length: Any,
        input_key: Any,
        input_sequences: Dict[str, Any],
        input_context: Dict[str, Any],
        initial_states: Dict[str, Any],
        capacity: Optional[int] = None,
        allow_small_batch: bool = False,
        name: Optional[str] = None,
    ) -> None:
        require_graph("SequenceQueueingStateSaver")
        made_at = calling_line()
        if capacity is not None:
            input_key = _with_room(input_key, batch_size, capacity)
        require_states(initial_states)
        given = [input_length, input_key, *input_sequences.values(), *input_context.values()]
        with tf.compat.v1.name_scope(name, "InputQueueingStateSaver", given) as scope:
            example: Example = checked_example(
                input_length, input_key, input_sequences, input_context, initial_states, num_unroll
            )
            self._segments = Segments(example, num_unroll, capacity)
        self._scope = scope
        self._batch_size = batch_size
        self._num_unroll = num_unroll
        self._allow_small_batch = allow_small_batch
        self._prefetch_op: Optional[tf.Operation] = None
        self._next_batch: Optional[NextQueuedSequenceBatch] = None
        self._taken: Taken
        stage = scope.rstrip("/")
        reason = CannotCompileError("QC211", tensor=", ".join(sorted(initial_states))).reason(stage, made_at)
        record_native(tf.compat.v1.get_default_graph(), stage, made_at, reason)

    @property
    def name(self) -> str:
        """The name scope of the ops."""
        return self._scope

    @property
    def barrier(self) -> Barrier:
        """The barrier that holds the segments."""
        return self._segments.barrier

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def num_unroll(self) -> int:
        return self._num_unroll

    @property
    def prefetch_op(self) -> tf.Operation:
        """The op that enqueues one example; created at the first use, for the threads of a ``QueueRunner``."""
        if self._prefetch_op is None:
            with tf.name_scope(self._scope), self._segments.beside():
                self._prefetch_op = self._segments.insert()
        return self._prefetch_op

    @property
    def next_batch(self) -> NextQueuedSequenceBatch:
        """The batches; created at the first use."""
        if self._next_batch is None:
            self.prefetch_op  # noqa: B018 - a consumer of batches needs an op that produces them
            with tf.name_scope(self._scope), self._segments.beside():
                self._taken = self._segments.take(self._batch_size, self._allow_small_batch)
            self._next_batch = NextQueuedSequenceBatch(self)
        return self._next_batch

    def close(self, cancel_pending_enqueues: bool = False, name: Optional[str] = None) -> tf.Operation:
        """The op that refuses new examples; with *cancel_pending_enqueues*, also further segments of old ones."""
        return self._segments.close(cancel_pending_enqueues, name or "SQSSClose")


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: Dict[str, Any],
    input_context: Dict[str, Any],
    input_length: Any,
    initial_states: Dict[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: Optional[int] = None,
    name: Optional[str] = None,
) -> NextQueuedSequenceBatch:
    """Batches of segments of sequences, with a state that is passed from segment to segment.

    Args:
      input_key, initial_states, num_unroll, batch_size, allow_small_batch: as ``SequenceQueueingStateSaver``.
      input_sequences: dict of tensors or SparseTensors ``[length, *step]``, of one length.
      input_context: dict of tensors or SparseTensors ``[*context]``.
      input_length: scalar int32: number of steps without padding; None, with *pad*: all of them.
      num_threads: threads that enqueue examples. With 1, the examples keep their order.
      capacity: maximum number of unfinished examples, not counting one for each thread; at least *batch_size*. If
        keys are repeated, the number of different keys must be larger than this.
      pad: sequences are padded to a multiple of *num_unroll*, with 0, "" or False; otherwise it must be one.
      make_keys_unique: a random number below 10**8 is appended to each key.
      make_keys_unique_seed: random seed of that number.
      name: for the ops.
    Returns:
      A ``NextQueuedSequenceBatch``. SparseTensors stay SparseTensors, ``[batch_size, num_unroll, *step]`` and
      ``[batch_size, *context]``.
    Raises:
      As ``SequenceQueueingStateSaver``, and ValueError: *num_unroll* is not an integer; no thread; *input_length*
      is None without *pad*.
      tf.errors.OutOfRangeError: at run time, after the last batch.
      tf.errors.InvalidArgumentError: at run time, from the coordinator: wrong lengths.
    Differs from TF1: As ``SequenceQueueingStateSaver``. A sparse value in *input_context* stays in the caller's dict;
      TF1 removed it. Sequences of bools can be padded; TF1 raised an error.
    Source: TF 1.15.5 ``contrib/training/python/training/sequence_queueing_state_saver.py``.
    """
    require_graph("batch_sequences_with_states")
    given = [*input_sequences.values(), *input_context.values(), *initial_states.values()]
    with tf.compat.v1.name_scope(name, "batch_sequences_with_states", given):
        if pad:
            length, sequences = padded(input_sequences, num_unroll)
            input_length = length if input_length is None else input_length
        else:
            sequences = checked_multiples(input_sequences, num_unroll)
        context = {key: value for key, value in input_context.items() if not is_sparse(value)}
        sequences.update(_sparse_context(input_context, sequences, num_unroll))
        dense, handles = stored(sequences)
        if make_keys_unique:
            input_key = _made_unique(input_key, make_keys_unique_seed)
        saver = SequenceQueueingStateSaver(
            batch_size, num_unroll, input_length, input_key, dense, context, initial_states, capacity, allow_small_batch
        )
        ready = tf.cast(saver.barrier.ready_size(), tf.float32)
        tf.compat.v1.summary.scalar(f"queue/{saver.barrier.name}/ready_segment_batches_", ready)
        ended = (tf.errors.OutOfRangeError, tf.errors.CancelledError)
        runner = train.QueueRunner(saver, [saver.prefetch_op] * num_threads, queue_closed_exception_types=ended)
        train.add_queue_runner(runner)
        batch = saver.next_batch
        for key, handle in handles.items():
            batch.sequences[key] = restored(batch.sequences[key], handle, sequences[key].dtype, batch_size, num_unroll)
        for key in [key for key in batch.sequences if key.startswith(SPARSE_CONTEXT)]:
            batch.context[key[len(SPARSE_CONTEXT) :]] = without_time(batch.sequences.pop(key))
        return batch


def _with_room(input_key: Any, batch_size: Any, capacity: int) -> Any:
    """Returns *input_key*, with a check, made now or at run time, that a batch is not larger than *capacity*."""
    if not tf.is_tensor(batch_size):
        if capacity < batch_size:
            raise ValueError(f"capacity {capacity} must be at least batch_size {batch_size}, or no batch is ever full")
        return input_key
    told = ["capacity must be at least batch_size:", capacity, batch_size]
    with tf.control_dependencies([tf.compat.v1.Assert(tf.cast(batch_size, tf.int64) <= capacity, told)]):
        return tf.identity(input_key)


def _sparse_context(context: Dict[str, Any], sequences: Dict[str, Any], num_unroll: int) -> Dict[str, Any]:
    sparse: List[str] = [key for key in sorted(context) if is_sparse(context[key])]
    if not sparse:
        return {}
    first = next(iter(sequences.values()), None)
    if first is None:
        length: Any = 1
    else:
        length = first.dense_shape[0] if is_sparse(first) else tf.shape(first)[0]
    return {SPARSE_CONTEXT + key: as_sequence(context[key], length, num_unroll) for key in sparse}


def _made_unique(key: Any, seed: Optional[int]) -> tf.Tensor:
    number = tf.random.uniform([], minval=0, maxval=100_000_000, dtype=tf.int32, seed=seed)
    return tf.strings.join([key, tf.strings.as_string(number)])
