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
    """

    name: str
    inputs: Optional[Inputs] = None
    arguments: Tuple[str, ...] = ()
    compiles: bool = True
    by_hand: bool = False

    @property
    def path(self) -> str:
        return os.path.join(HERE, "programs", self.name + ".py")

    @property
    def record(self) -> str:
        return os.path.join(RECORDED, self.name + ".json")


PROGRAMS: Dict[str, Program] = {
    program.name: program
    for program in (
        Program("assigned_rows"),
        Program("bad_record"),
        Program("broken_file"),
        Program("buckets_by_length", Inputs(unordered="batches")),
        Program("collatz", Inputs()),
        Program("cond_augment", Inputs()),
        Program("consumer_threads"),
        Program("counting_py_func"),
        Program("csv_once", Inputs()),
        Program("curves"),
        Program("custom_runner"),
        Program("end_message"),
        Program("epoch_limits", Inputs()),
        Program("evaluate_once"),
        Program("feed_thread"),
        Program("fixed_length", Inputs()),
        Program("folds"),
        Program("frozen"),
        Program("import_by_name"),
        Program("joined_readers", Inputs(prepare="write_parts", unordered="rows")),
        Program("keep_some", Inputs()),
        Program("label_table", Inputs()),
        Program("late_dequeue"),
        Program("learn_io", Inputs(prepare="write_shards", unordered="rows")),
        Program("log_and_go_on"),
        Program("looper"),
        Program("map_fn_batches", Inputs(prepare="write_numbers")),
        Program("meta_graph"),
        Program("mnist_graph", by_hand=True),
        Program("monitored_hooks"),
        Program("names_by_string"),
        Program("no_coordinator"),
        Program("numpy_inputs"),
        Program("one_server"),
        Program("own_path"),
        Program("own_queue_in_front"),
        Program("own_queue_runner"),
        Program("padded_reviews", Inputs()),
        Program("padding_queue", Inputs()),
        Program("parse_batches", Inputs(prepare="write_people")),
        Program("prefetched"),
        Program("priorities"),
        Program("py_func_arrays", Inputs(prepare="save_scans", count=6)),
        Program("queue_size"),
        Program("range_index"),
        Program("reader_state", compiles=False),
        Program("records_as_they_are", Inputs(prepare="write_lines")),
        Program("resume"),
        Program("runner_names"),
        Program("runner_threads"),
        Program("seeded_crops", Inputs(count=6)),
        Program("seeded_slices", Inputs()),
        Program("slim_provider", Inputs()),
        Program("sparse_words", Inputs()),
        Program("staging"),
        Program("start_again"),
        Program("stop_by_signal"),
        Program("stop_by_timer"),
        Program("stop_with_error"),
        Program("string_records", Inputs(prepare="write_file")),
        Program("supervised"),
        Program("switched_queues"),
        Program("text_lines", Inputs(prepare="write_poems")),
        Program("train_or_valid"),
        Program("two_stages"),
        Program("wav_features", Inputs(prepare="write_sounds")),
        Program("what_is_a_variable"),
        Program("whole_files", Inputs(prepare="make_mails")),
    )
}
