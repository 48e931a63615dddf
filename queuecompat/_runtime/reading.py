"""Readers: ``TFRecordReader`` as a promise, like the producers' queue.

As long as the program only calls ``read`` on a compiled queue, no reader exists and records come
straight from the plan. Anything else (``read_up_to``, ``num_records_produced``, a native queue)
makes the native reader, and then the earlier reads draw from it as well.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import tensorflow as tf

from queuecompat._compiler import ir
from queuecompat._compiler.stages import Stage
from queuecompat._runtime.iterators import NativeStream
from queuecompat._runtime.pipelines import Pipelines
from queuecompat._runtime.producer_queue import ProducerQueue
from queuecompat._runtime.reference import record_native
from queuecompat._runtime.runners import quietly
from queuecompat.errors import CannotCompileError, calling_line

__all__ = ["CompiledRecordReader"]

_RECORD = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.string))


class CompiledRecordReader(tf.compat.v1.ReaderBase):
    """The mechanism of ``queuecompat.readers.TFRecordReader``."""

    def __init__(self, name: Optional[str], options: Any) -> None:
        # The base class would need a native reader; its methods are all replaced below.
        self._graph = tf.compat.v1.get_default_graph()
        self._options = options
        self._compression = tf.compat.v1.python_io.TFRecordOptions.get_compression_type_string(options)
        with tf.name_scope(name or "TFRecordReaderV2") as scope:
            self._scope = scope
        self._made_at = calling_line()
        self._stage: Optional[Stage] = None
        self._queue: Optional[ProducerQueue] = None
        self._made: Optional[tf.compat.v1.ReaderBase] = None

    def __repr__(self) -> str:
        how = "native" if self._made is not None else "compiled"
        return f"<queuecompat {how} TFRecordReader '{self._scope.rstrip('/')}' made at {self._made_at}>"

    def read(self, queue: Any, name: Optional[str] = None) -> Tuple[tf.Tensor, tf.Tensor]:
        """The next record of the files that *queue* names, as (key, value), both scalar strings."""
        if self._made is not None or not self._can_compile(queue):
            return self._native("a queue that is not compiled").read(queue, name)
        if self._stage is None:
            self._queue = queue
            self._stage = self._reader_stage(queue)
        with tf.name_scope(name or "ReaderReadV2") as scope:
            pass
        stage = Stage(scope.rstrip("/"), calling_line(), scope=scope, runner=self._stage.runner, upstream=[self._stage])
        key, value = Pipelines.of(self._graph).add_terminal(stage, _RECORD)
        return key, value

    def read_up_to(self, queue: Any, num_records: Any, name: Optional[str] = None) -> Any:
        return self._native("read_up_to").read_up_to(queue, num_records, name)

    def num_records_produced(self, name: Optional[str] = None) -> tf.Tensor:
        return self._native("num_records_produced").num_records_produced(name)

    def num_work_units_completed(self, name: Optional[str] = None) -> tf.Tensor:
        return self._native("num_work_units_completed").num_work_units_completed(name)

    def serialize_state(self, name: Optional[str] = None) -> tf.Tensor:
        return self._native("serialize_state").serialize_state(name)

    def restore_state(self, state: Any, name: Optional[str] = None) -> tf.Operation:
        return self._native("restore_state").restore_state(state, name)

    def reset(self, name: Optional[str] = None) -> tf.Operation:
        return self._native("reset").reset(name)

    @property
    def reader_ref(self) -> tf.Tensor:
        return self._native("reader_ref").reader_ref

    @property
    def supports_serialize(self) -> bool:
        return False  # as TF1 says of its TFRecordReader

    def _can_compile(self, queue: Any) -> bool:
        is_other_queue = self._queue is not None and queue is not self._queue
        return isinstance(queue, ProducerQueue) and queue.dtypes == [tf.string] and not is_other_queue

    def _reader_stage(self, queue: ProducerQueue) -> Stage:
        scope = self._scope
        stage = Stage(
            scope.rstrip("/"),
            self._made_at,
            scope=scope,
            runner=queue.stage.runner,
            upstream=[queue.stage],
            steps=[ir.Read(_RECORD, self._compression, with_key=True)],
        )
        Pipelines.of(self._graph).add(stage)
        return stage

    def _native(self, use: str) -> tf.compat.v1.ReaderBase:
        if self._made is None:
            with self._graph.as_default(), quietly():
                made = self._made = tf.compat.v1.TFRecordReader(name=self._scope, options=self._options)
            name = self._scope.rstrip("/")
            reason = CannotCompileError("QC206", kind="reader", tensor=use).reason(name, calling_line())
            record_native(self._graph, name, self._made_at, reason)
            if self._stage is not None:
                self._demote(self._stage, made, self._queue, reason)
        return self._made

    def _demote(self, stage: Stage, made: tf.compat.v1.ReaderBase, queue: Any, reason: Any) -> None:
        """The reads that were compiled before now draw from the native reader and its native queue."""
        queue_ref = queue.queue_ref

        def draw(name: Optional[str]) -> List[tf.Tensor]:
            return tf.raw_ops.ReaderReadV2(
                reader_handle=tf.identity(made.reader_ref), queue_handle=tf.identity(queue_ref), name=name
            )

        stage.demote(NativeStream(draw), reason)
        Pipelines.of(self._graph).refresh()
