"""Captures the producers: ``input_producer`` and its three special cases."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import tensorflow as tf

from queuecompat._analysis.consumers import note_external_use
from queuecompat._analysis.matched_files import NO_STRINGS
from queuecompat._analysis.slicing import Slice, cut
from queuecompat._capture.fallback import record_native, require_wanted
from queuecompat._capture.inputs import in_graph_of
from queuecompat._capture.lazy_queue import LazyQueue
from queuecompat._capture.shapes import checked
from queuecompat._capture.tables import as_tensor, described, is_large, table_of
from queuecompat._native.reference import expected, native
from queuecompat._plan import ir, options, orders
from queuecompat._plan.backend import QueueSpec
from queuecompat._plan.queue_names import QueueNames
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat.errors import CannotCompileError, calling_line

__all__ = [
    "input_producer",
    "range_input_producer",
    "slice_input_producer",
    "string_input_producer",
]


def input_producer(values: Any, *, name: Optional[str], **arguments: Any) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.input_producer``."""
    with in_graph_of([values]):
        return _produce("input_producer", values, name, arguments)


def string_input_producer(values: Any, *, name: Optional[str], **arguments: Any) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.string_input_producer``."""
    _check("string_input_producer", values, name, arguments)
    with in_graph_of([values]), tf.name_scope(name or "input_producer") as scope:
        strings = tf.convert_to_tensor(values, dtype=tf.string)
        with tf.control_dependencies([tf.compat.v1.Assert(tf.greater(tf.size(strings), 0), [NO_STRINGS])]):
            strings = tf.identity(strings)
        return _produce("input_producer", strings, scope, _with_summary(arguments))


def range_input_producer(limit: Any, *, name: Optional[str], **arguments: Any) -> tf.compat.v1.QueueBase:
    """See ``queuecompat.train.range_input_producer``."""
    _check("range_input_producer", limit, name, arguments)
    with in_graph_of([limit]), tf.name_scope(name or "input_producer") as scope:
        return _produce("input_producer", tf.range(limit), scope, _with_summary(arguments))


def slice_input_producer(values: Any, *, name: Optional[str], **arguments: Any) -> List[tf.Tensor]:
    """See ``queuecompat.train.slice_input_producer``."""
    values = list(values)  # once: it may be an iterator
    _check("slice_input_producer", [described(one) for one in values], name, arguments)
    with in_graph_of(values), tf.name_scope(name or "input_producer"):
        tables = [table_of(one) for one in values]
        queue = range_input_producer(tables[0].row_count(), name=None, **arguments)
        for table in tables:
            table.settle(queue.stage.control if isinstance(queue, LazyQueue) else None)
        index = queue.dequeue()
        return [table.row(index) for table in tables]


def _with_summary(arguments: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the arguments of the ``input_producer`` with a summary that TF1's producers of scalars call."""
    return {**arguments, "element_shape": [], "summary_name": f"fraction_of_{int(arguments['capacity'])}_full"}


def _check(call: str, values: Any, name: Optional[str], arguments: Dict[str, Any]) -> tf.compat.v1.QueueBase:
    """Returns the queue that TensorFlow would return; raises the errors that TensorFlow would raise."""
    # TensorFlow does not check these two before run time, and the temporary graph cannot take a tensor of this graph.
    plain = {**arguments, "shared_name": None, "cancel_op": None}
    return expected(call, values, name=name, **{key: plain[key] for key in arguments})


def _produce(call: str, values: Any, name: Optional[str], arguments: Dict[str, Any]) -> tf.compat.v1.QueueBase:
    """Builds ``tf.train.<call>`` of the rows *values*, compiled if possible, otherwise on TensorFlow's own queue."""
    made_at = calling_line()
    reference = _check(call, values, name, arguments)
    if arguments["capacity"] is None:
        arguments = {**arguments, "capacity": -1}  # TensorFlow's default: unlimited
    graph = tf.compat.v1.get_default_graph()
    pipelines = Pipelines.of(graph)
    with tf.name_scope(name or call) as scope:
        stage_name = scope.rstrip("/")

        def make_native() -> tf.compat.v1.QueueBase:
            note_external_use(pipelines, [values])
            # The control has made ops under TF1's name of the queue already.
            return native(call, values, name=f"{stage_name}_native", **arguments)

        queue_name = _queue_name(scope, name)
        names = QueueNames.of(queue_name, scope, type(reference).__name__, ["_EnqueueMany"])
        element = tf.TensorSpec(reference.shapes[0], reference.dtypes[0])
        try:
            require_wanted()
            rows = _rows(values, element, arguments["shared_name"])
            body = None if is_large(rows) else _body(rows, pipelines)
        except CannotCompileError as problem:
            record_native(graph, stage_name, made_at, problem.reason(stage_name, made_at))
            orders.warn_of_ignored_order(stage_name, made_at, "it runs on TensorFlow's own queues", options.current())
            note_external_use(pipelines, [values])
            with pipelines.building_natively():
                return native(call, values, name=scope, **arguments)
        count = tf.TensorShape(rows.shape).as_list()[0]
        control = pipelines.backend.queue(_queue_spec(scope, names, element, count, arguments))
        if body is None:
            body = _body(_of_shape(control.array(rows), element), pipelines)
        seeds = tf.compat.v1.get_seed(arguments["seed"]) if arguments["shuffle"] else None
        capacity = int(arguments["capacity"])
        step = ir.Produce((element,), body, _epochs(arguments), seeds, capacity, stage_name, count)
        stage = Stage(stage_name, made_at, scope=scope, control=control, steps=[step])
        pipelines.backend.add_queue(stage)
        if arguments.get("summary_name") is not None:
            control.summarise(arguments["summary_name"])
        return LazyQueue(stage, queue_name, reference, make_native)


def _queue_spec(
    scope: str, names: QueueNames, element: tf.TensorSpec, count: Optional[int], arguments: Dict[str, Any]
) -> QueueSpec:
    """Returns the description of the queue of a producer of *count* rows an epoch; None: known only at run time."""
    num_epochs = _epochs(arguments)
    return QueueSpec(
        scope,
        names,
        int(arguments["capacity"]),
        summary_scope=scope.rstrip("/"),
        is_filled_once=True,
        total=None if num_epochs is None or count is None else count * num_epochs,
        cancel_op=arguments.get("cancel_op"),
        components=(element,),
    )


def _epochs(arguments: Dict[str, Any]) -> Optional[int]:
    return None if arguments["num_epochs"] is None else int(arguments["num_epochs"])


def _queue_name(scope: str, name: Optional[str]) -> str:
    """Returns TF1's name of the queue op of a producer that was called with *name*."""
    if name is not None and name.endswith("/"):
        return scope.rstrip("/")
    return scope + (name or "FIFOQueueV2")


def _rows(values: Any, element: tf.TensorSpec, shared_name: Optional[str]) -> Any:
    """Returns all rows of *values*: a tensor, or a large array, which is not copied into the graph.

    Raises:
      CannotCompileError: QC204, *shared_name* is given.
    """
    if shared_name is not None:
        raise CannotCompileError("QC204", tensor=shared_name)
    if is_large(values):
        return values
    return _of_shape(as_tensor(values), element)


def _of_shape(rows: tf.Tensor, element: tf.TensorSpec) -> tf.Tensor:
    return checked(rows, tf.TensorShape([None]).concatenate(element.shape))


def _body(rows: tf.Tensor, pipelines: Pipelines) -> Slice:
    """Returns the slice that outputs *rows*.

    Raises:
      CannotCompileError: QC202, *rows* depend on elements of a stage.
    """
    body = cut([rows], pipelines)
    if body.sources:
        raise CannotCompileError("QC202", tensor=body.sources[0].name, kind="a stage")
    return body
