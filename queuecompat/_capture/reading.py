"""Compiled readers, which create TensorFlow's own reader only on demand, as ``lazy_queue`` does for queues.

As long as the program only calls ``read`` or ``read_up_to`` on a compiled queue, no reader exists and
the records come from the plan. Anything else (``num_records_produced``, ``reset``, ``read`` and ``read_up_to`` with the
same reader, reads from two queues with the same reader) makes the native reader, from which the earlier reads then
draw as well. A queue that the program built itself is read by the native reader from the start.
"""

from __future__ import annotations

import abc
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

import tensorflow as tf

from queuecompat._analysis.frontier import Given
from queuecompat._analysis.slicing import Slice, cut
from queuecompat._capture.fallback import record_native
from queuecompat._capture.inputs import in_graph
from queuecompat._capture.lazy_queue import LazyQueue
from queuecompat._native.autograph import unconverted
from queuecompat._native.deprecations import without_queue_deprecations
from queuecompat._plan import ir
from queuecompat._plan.external import ExternalStream
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat.errors import CannotCompileError, QueueCompatRuntimeError, calling_line, error

__all__ = ["CompiledReader", "known_compression", "reading"]

_OneRecord = Callable[[tf.Tensor], tf.Tensor]


class ReaderReadV2(NamedTuple):
    """A record and its key, which says where it was read; named as TF1's op."""

    key: tf.Tensor
    value: tf.Tensor


class ReaderReadUpToV2(NamedTuple):
    """Several records and their keys; named as TF1's op."""

    keys: tf.Tensor
    values: tf.Tensor


class CompiledReader(tf.compat.v1.ReaderBase, abc.ABC):
    """The base class of the readers in ``queuecompat.readers``, which define how a file is divided into records."""

    def __init__(self, name: Optional[str]) -> None:
        # The base class would need a native reader; its methods are all replaced below.
        self._refuse_as_tf1_would(lambda reader: None)
        self._graph = tf.compat.v1.get_default_graph()
        with tf.name_scope(name or self._op_name) as scope:
            self._scope = scope
        self._made_at = calling_line()
        # By the queue that is read, and the maximum number of records at once (None: ``read``).
        self._stages: Dict[Tuple[LazyQueue, Optional[int]], Stage] = {}
        self._made: Optional[tf.compat.v1.ReaderBase] = None

    def __repr__(self) -> str:
        how = "native" if self._made is not None else "compiled"
        return f"<queuecompat {how} {type(self).__name__} '{self._scope.rstrip('/')}' made at {self._made_at}>"

    @property
    @abc.abstractmethod
    def _op_name(self) -> str:
        """TF1's name of the reader's op."""

    @abc.abstractmethod
    def _make_native(self, name: str) -> tf.compat.v1.ReaderBase:
        """Returns TensorFlow's own reader with the same arguments."""

    @abc.abstractmethod
    def _layout(self) -> Optional[ir.FileLayout]:
        """Returns how a file is divided into records; None: a file is one record, see ``_whole``."""

    def _whole(self, file_name: tf.Tensor) -> tf.Tensor:
        """Returns the only record of a file, for readers without a layout."""
        raise NotImplementedError

    @property
    def _own_way(self) -> str:
        """Which of the arguments only TensorFlow's own reader supports, in words; empty: none."""
        return ""

    @unconverted
    def read(self, queue: Any, name: Optional[str] = None) -> ReaderReadV2:
        """Returns the next record of the files that *queue* names, as (key, value), both scalar strings."""
        self._require_graph_of(queue)
        with in_graph(self._graph):
            return self._read(queue, name)

    def _read(self, queue: Any, name: Optional[str]) -> ReaderReadV2:
        if not self._can_compile(queue, None):
            return self._native_for(queue, self._use_of(queue, "read after read_up_to")).read(queue, name)
        return ReaderReadV2(*self._drawn(queue, None, name or "ReaderReadV2"))

    @unconverted
    def read_up_to(self, queue: Any, num_records: Any, name: Optional[str] = None) -> ReaderReadUpToV2:
        """Returns up to *num_records* records of one file, as (keys, values), both ``[?]``; fewer at a file's end."""
        self._require_graph_of(queue)
        with in_graph(self._graph):
            return self._read_up_to(queue, num_records, name)

    def _read_up_to(self, queue: Any, num_records: Any, name: Optional[str]) -> ReaderReadUpToV2:
        if not tf.is_tensor(num_records):
            self._refuse_as_tf1_would(lambda reader: reader.read_up_to(tf.queue.FIFOQueue(1, tf.string), num_records))
        most = tf.get_static_value(num_records) if tf.is_tensor(num_records) else num_records
        if most is None or most < 1:
            use = "read_up_to with a number that is no constant from 1 on"
            return self._native_for(queue, use).read_up_to(queue, num_records, name)
        if not self._can_compile(queue, int(most)):
            use = self._use_of(queue, "read_up_to after another read")
            return self._native_for(queue, use).read_up_to(queue, num_records, name)
        return ReaderReadUpToV2(*self._drawn(queue, int(most), name or "ReaderReadUpToV2"))

    def num_records_produced(self, name: Optional[str] = None) -> tf.Tensor:
        """Returns the number of records read since the reader was made or reset; scalar int64."""
        return self._native("num_records_produced").num_records_produced(name)

    def num_work_units_completed(self, name: Optional[str] = None) -> tf.Tensor:
        """Returns the number of files read to their end; scalar int64. A file counts when the next one is begun."""
        return self._native("num_work_units_completed").num_work_units_completed(name)

    def serialize_state(self, name: Optional[str] = None) -> tf.Tensor:
        """Returns the reader's state, a scalar string; UnimplementedError if ``supports_serialize`` is False."""
        return self._native("serialize_state").serialize_state(name)

    def restore_state(self, state: Any, name: Optional[str] = None) -> tf.Operation:
        """Restores the reader to a state that ``serialize_state`` returned."""
        return self._native("restore_state").restore_state(state, name)

    def reset(self, name: Optional[str] = None) -> tf.Operation:
        """Resets the reader to its initial state; its counts are 0 again."""
        return self._native("reset").reset(name)

    @property
    def reader_ref(self) -> tf.Tensor:
        return self._native("reader_ref").reader_ref

    @property
    def supports_serialize(self) -> bool:
        return self._layout() is None  # WholeFile and Identity, as in TF1

    def _require_graph_of(self, queue: Any) -> None:
        """Checks that *queue* is in the reader's graph.

        Raises:
          ValueError: it is not, as in TF1.
        """
        is_of_ours = isinstance(queue, LazyQueue)
        if is_of_ours and queue.graph is not self._graph and not hasattr(self._graph, "outer_graph"):
            raise ValueError(
                f"the queue '{queue.name}' must be from the same graph as the reader '{self._scope.rstrip('/')}', "
                f"which was made at {self._made_at}"
            )

    def _refuse_as_tf1_would(self, use: Callable[[tf.compat.v1.ReaderBase], Any]) -> None:
        """Raises the errors that TensorFlow's own reader raises when it is made and then *use* is called with it."""
        with tf.Graph().as_default(), without_queue_deprecations():
            use(self._make_native("reader"))

    def _can_compile(self, queue: Any, up_to: Optional[int]) -> bool:
        """Whether a plan can read *queue* like this, in addition to the reads that the reader compiled before."""
        if self._made is not None or self._own_way or not isinstance(queue, LazyQueue) or queue.dtypes != [tf.string]:
            return False
        # Each read of a reader of whole files reads a whole file: reads do not depend on each other.
        return self._layout() is None or not self._stages or (queue, up_to) in self._stages

    def _use_of(self, queue: Any, second_kind: str) -> str:
        """Returns why a read from *queue* needs the native reader; *second_kind* if it is unlike earlier reads."""
        is_second_queue = any(queue is not other for other, _ in self._stages)
        return self._own_way or ("read from a second queue" if is_second_queue else second_kind)

    def _drawn(self, queue: LazyQueue, up_to: Optional[int], name: str) -> List[tf.Tensor]:
        if (queue, up_to) not in self._stages:
            self._stages[queue, up_to] = self._reader_stage(queue, up_to)
        reader = self._stages[queue, up_to]
        with tf.name_scope(name) as scope:
            pass
        stage = Stage(scope.rstrip("/"), calling_line(), scope=scope, control=reader.control, upstream=[reader])
        return Pipelines.of(self._graph).backend.terminal(stage, _components(up_to))

    def _reader_stage(self, queue: LazyQueue, up_to: Optional[int]) -> Stage:
        scope = self._scope
        stage = Stage(
            scope.rstrip("/"),
            self._made_at,
            scope=scope,
            control=queue.stage.control,
            upstream=[queue.stage],
            steps=[reading(self._layout() or self._whole, up_to)],
        )
        Pipelines.of(self._graph).add(stage)
        return stage

    def _native_for(self, queue: Any, use: str) -> tf.compat.v1.ReaderBase:
        """Returns the native reader for *queue*; without a warning if the program built all its queues itself."""
        if self._stages or isinstance(queue, LazyQueue):
            return self._native(use)
        if self._made is None:
            with self._graph.as_default(), without_queue_deprecations():
                self._made = self._make_native(self._scope)
        return self._made

    def _native(self, use: str) -> tf.compat.v1.ReaderBase:
        if self._made is None:
            started = next((stage for stage in self._stages.values() if stage.control.is_running), None)
            if started is not None:
                raise error(QueueCompatRuntimeError, "QC313", stage=started.name, call=use)
            with self._graph.as_default(), without_queue_deprecations():
                made = self._made = self._make_native(self._scope)
            name = self._scope.rstrip("/")
            problem = CannotCompileError("QC206", kind="reader", call=use, place=calling_line())
            reason = problem.reason(name, self._made_at)
            record_native(self._graph, name, self._made_at, reason)
            for (queue, up_to), stage in self._stages.items():
                self._fall_back(stage, made, queue, up_to)
        return self._made

    def _fall_back(self, stage: Stage, made: tf.compat.v1.ReaderBase, queue: LazyQueue, up_to: Optional[int]) -> None:
        """Makes *stage*, a read that was compiled before, draw from the native reader *made* and the native *queue*."""
        queue_ref = queue.queue_ref

        def draw(name: Optional[str]) -> List[tf.Tensor]:
            handles = {"reader_handle": tf.identity(made.reader_ref), "queue_handle": tf.identity(queue_ref)}
            if up_to is None:
                return tf.raw_ops.ReaderReadV2(**handles, name=name)
            return tf.raw_ops.ReaderReadUpToV2(**handles, num_records=up_to, name=name)

        stage.fall_back_to(ExternalStream(draw, [queue_ref]))
        Pipelines.of(self._graph).backend.changed()


def reading(how: Union[ir.FileLayout, _OneRecord], up_to: Optional[int]) -> ir.Step:
    """Returns the step that turns file names into (key, record).

    Args:
      how: the layout of a file with many records, or a function from a file's name to its only record, which becomes an
        ordinary slice.
      up_to: the maximum number of records in a vector; None: single records.
    """
    if isinstance(how, ir.FileLayout):
        return ir.Read(_components(up_to), how, with_key=True, up_to=up_to)
    return ir.Run(_components(up_to), _one_record_a_file(how, is_many=up_to is not None), (0,))


def known_compression(encoding: Optional[str]) -> str:
    """Returns the compression that a reader of fixed lengths uses for *encoding*; as in TF1, none if it is unknown."""
    return encoding if encoding in ("GZIP", "ZLIB") else ""


def _components(up_to: Optional[int]) -> ir.Components:
    """Returns the specs of a key and a record, or of vectors of these."""
    spec = tf.TensorSpec([] if up_to is None else [None], tf.string)
    return (spec, spec)


def _one_record_a_file(whole: _OneRecord, *, is_many: bool) -> Slice:
    """Returns the slice from a file's name to its key and its only record; vectors of length 1 if *is_many*."""
    with tf.Graph().as_default():
        file_name = tf.compat.v1.placeholder(tf.string, [])
        record = [file_name, whole(file_name)]
        outputs = [tf.expand_dims(part, 0) for part in record] if is_many else record
        return cut(outputs, Given([file_name]))
