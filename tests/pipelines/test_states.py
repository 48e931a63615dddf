"""The table of a stage's states: complete, and each element goes to exactly one consumer in every row."""

from __future__ import annotations

from typing import List, Sequence, Tuple

import pytest

import queuecompat.v1 as tf
from queuecompat._plan.registry import Pipelines
from queuecompat._plan.stages import Stage
from queuecompat._plan.states import CONSUMERS, READS, State, states
from tests.pipelines.test_sharing import alternate, flat

ROWS = 24
# Rows that no program reaches: a stage that TensorFlow runs has no tensors of its own and is not opened.
REACHED = [state for state in states() if state.source == "plan"]


def test_every_state_has_a_row() -> None:
    assert set(READS) == set(states())
    assert len(list(states())) == 24


@pytest.mark.parametrize("state", list(states()), ids=str)
def test_no_element_can_reach_two_consumers(state: State) -> None:
    """Readers that compute the elements on their own would all get all of them."""
    reads = READS[state]
    compiled = {"none": 0, "one": 1, "several": 2}[state.consumers]
    readers = [reads.consumers] * compiled
    # Consumers outside take by the stage's own tensors; else these are a consumer only if there is no other.
    if state.has_external_consumer or not compiled:
        readers.append(reads.tensors)
    assert "preview" not in readers
    if len(readers) > 1 and state.source == "plan":
        assert set(readers) == {"stream"}


@pytest.mark.parametrize("state", list(states()), ids=str)
def test_nothing_but_a_preview_reads_what_all_belongs_to_others(state: State) -> None:
    is_looked_at = state.source == "plan" and state.consumers != "none" and not state.has_external_consumer
    assert (READS[state].tensors == "preview") == is_looked_at


@pytest.mark.parametrize("state", list(states()), ids=str)
def test_an_open_stage_is_ready_for_a_consumer_that_comes_while_it_runs(state: State) -> None:
    """A second consumer changes nothing for the first one."""
    if not state.is_open or state.source == "external":
        return
    more = CONSUMERS[min(CONSUMERS.index(state.consumers) + 1, 2)]
    assert READS[state].consumers == READS[state._replace(consumers=more)].consumers == "stream"


def built(state: State) -> Tuple[Stage, List[tf.Tensor]]:
    """A program that has a stage in *state*, and all tensors that take its elements."""
    x = tf.train.range_input_producer(ROWS, num_epochs=1, shuffle=False).dequeue()
    stage, _ = Pipelines.of(x.graph).place(x)
    if state.is_open:
        stage.open()
    taken = [
        tf.train.batch([x], 1, capacity=1, allow_smaller_final_batch=True)
        for _ in range(CONSUMERS.index(state.consumers))
    ]
    if state.has_external_consumer:
        own = tf.queue.FIFOQueue(1, tf.int32, [[]])
        # A Python function: what its runner does stays as it is.
        same = tf.ensure_shape(tf.py_func(lambda number: number, [x], tf.int32), [])
        tf.train.add_queue_runner(tf.train.QueueRunner(own, [own.enqueue(same)]))
        taken.append(own.dequeue())
    return stage, taken or [x]


@pytest.mark.parametrize("state", REACHED, ids=str)
def test_each_element_is_delivered_once_in_every_row(state: State) -> None:
    stage, taken = built(state)
    given = alternate(taken)
    assert stage.state == state
    assert all(given)
    assert sorted(flat(given)) == list(range(ROWS))


@pytest.mark.parametrize("state", [state for state in REACHED if READS[state].tensors == "preview"], ids=str)
def test_a_preview_takes_no_element_in_any_row(state: State) -> None:
    stage, taken = built(state)
    x = next(tensor for tensor in stage_tensors(stage))
    given = alternate([x, *taken])
    assert flat(given[:1]) == list(range(ROWS))
    assert sorted(flat(given[1:])) == list(range(ROWS))


def stage_tensors(stage: Stage) -> Sequence[tf.Tensor]:
    return tf.get_default_graph().get_operation_by_name(stage.scope).outputs
