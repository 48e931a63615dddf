"""The small programs, and what has to be known about each to run it.

A program added here gets its recording from ``record.py``, and its test from ``test_small.py``.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Dict, Optional, Tuple

__all__ = ["PROGRAMS", "RECORDED", "Inputs", "Program"]

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")


@dataclasses.dataclass(frozen=True)
class Inputs:
    """The input function of a program.

    Attributes:
      function: its name.
      prepare: the name of the function that writes the files it reads; "" where there are none of its own.
      count: how many of its elements are compared; it may have fewer.
      unordered: what TF 1.15.5 repeats, but not in the same order: "batches", or "rows", where any rows may
        be together in a batch. "" where it repeats everything.
    """

    function: str = "inputs"
    prepare: str = ""
    count: int = 20
    unordered: str = ""


@dataclasses.dataclass(frozen=True)
class Program:
    """One program of ``programs/``.

    Attributes:
      name: its file's, without ``.py``.
      inputs: its input function, if it has one that ``as_dataset`` takes.
      arguments: its command line.
      compiles: none of its pipelines may be native; it is run with ``--strict``.
      by_hand: TF 1.15.5's wheel has not all that it imports; what it prints follows from its data and sizes.
      waits_for: what is missing in queuecompat for it to print what TF 1.15.5 prints; "" where it does.
    """

    name: str
    inputs: Optional[Inputs] = None
    arguments: Tuple[str, ...] = ()
    compiles: bool = True
    by_hand: bool = False
    waits_for: str = ""

    @property
    def path(self) -> str:
        return os.path.join(HERE, "programs", self.name + ".py")

    @property
    def record(self) -> str:
        return os.path.join(RECORDED, self.name + ".json")


PROGRAMS: Dict[str, Program] = {
    program.name: program
    for program in (
        Program("bad_record"),
        Program("broken_file", waits_for="stopping"),
        Program("buckets_by_length", Inputs(unordered="batches")),
        Program("collatz", Inputs()),
        Program("cond_augment", Inputs()),
        Program("consumer_threads", waits_for="stopping"),
        Program("counting_py_func", waits_for="functions that are not thread-safe"),
        Program("csv_once", Inputs()),
        Program("curves"),
        Program("custom_runner"),
        Program("end_message", waits_for="what programs look at"),
        Program("epoch_limits", Inputs()),
        Program("evaluate_once"),
        Program("feed_thread"),
        Program("fixed_length", Inputs()),
        Program("folds"),
        Program("frozen", waits_for="saved graphs"),
        Program("import_by_name", waits_for="modules"),
        Program("joined_readers", Inputs(prepare="write_parts", unordered="rows")),
        Program("keep_some", Inputs()),
        Program("label_table", Inputs()),
        Program("late_dequeue", waits_for="queue calls after the start"),
        Program("learn_io", Inputs(prepare="write_shards", unordered="rows")),
        Program("log_and_go_on", waits_for="stopping"),
        Program("looper"),
        Program("map_fn_batches", Inputs(prepare="write_numbers")),
        Program("meta_graph", waits_for="saved graphs"),
        Program("mnist_graph", by_hand=True, waits_for="modules"),
        Program("monitored_hooks"),
        Program("names_by_string", waits_for="queue calls after the start"),
        Program("no_coordinator"),
        Program("numpy_inputs"),
        Program("one_server"),
        Program("own_path", waits_for="modules"),
        Program("own_queue_in_front", waits_for="a user's queue in front"),
        Program("own_queue_runner"),
        Program("padded_reviews", Inputs()),
        Program("padding_queue", Inputs()),
        Program("parse_batches", Inputs(prepare="write_people")),
        Program("prefetched"),
        Program("priorities"),
        Program("py_func_arrays", Inputs(prepare="save_scans", count=6)),
        Program("queue_size", waits_for="queue calls after the start"),
        Program("range_index"),
        Program("reader_state", compiles=False),
        Program("resume"),
        Program("runner_names", waits_for="what programs look at"),
        Program("runner_threads", waits_for="what programs look at"),
        Program("seeded_crops", Inputs(count=6)),
        Program("seeded_slices", Inputs()),
        Program("slim_provider", Inputs()),
        Program("sparse_words", Inputs()),
        Program("staging"),
        Program("start_again", waits_for="stopping"),
        Program("stop_by_signal", waits_for="stopping"),
        Program("stop_by_timer", waits_for="stopping"),
        Program("stop_with_error"),
        Program("string_records", Inputs(prepare="write_file")),
        Program("supervised"),
        Program("switched_queues"),
        Program("text_lines", Inputs(prepare="write_poems")),
        Program("train_or_valid"),
        Program("two_stages"),
        Program("what_is_a_variable"),
        Program("whole_files", Inputs(prepare="make_mails")),
    )
}
