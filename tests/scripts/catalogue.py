"""The programs, and what has to be known about each to run it.

A program added here gets its summary from ``record.py``, and its test from ``test_scripts.py``.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Dict, List

__all__ = ["PROGRAMS", "RECORDED", "Program"]

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "recorded")


@dataclasses.dataclass(frozen=True)
class Program:
    """One program of ``programs/``.

    Attributes:
      name: its file's, without ``.py``.
      compiles: none of its pipelines may be native; it is run with ``--strict``.
      writes_checkpoints: it takes ``--train_dir``.
      needs_legacy_keras: it uses ``tf.layers`` or ``tf.nn.rnn_cell``, which Keras 3 does not have.
      older_than_one: it is from before TF 1.0, so that TF 1.15 cannot run it; by_hand.py says what it gives.
    """

    name: str
    compiles: bool = True
    writes_checkpoints: bool = False
    needs_legacy_keras: bool = False
    older_than_one: bool = False

    @property
    def record(self) -> str:
        return os.path.join(RECORDED, self.name + ".json")

    def command(self, data_dir: str, scratch: str) -> List[str]:
        """The program and its flags; it writes its summary to ``scratch/summary.json``."""
        flags = ["--data_dir", data_dir, "--summary", os.path.join(scratch, "summary.json")]
        if self.writes_checkpoints:
            flags += ["--train_dir", os.path.join(scratch, "train")]
        return [os.path.join(HERE, "programs", self.name + ".py"), *flags]


PROGRAMS: Dict[str, Program] = {
    program.name: program
    for program in (
        Program("annotations"),
        Program("audio_thread"),
        Program("buckets"),
        Program("cifar10_binary"),
        Program("csv_regression"),
        Program("estimator", writes_checkpoints=True),
        Program("fully_connected_reader"),
        Program("image_folder"),
        Program("inception_values_queue"),
        Program("index_queue"),
        Program("layers", needs_legacy_keras=True),
        Program("lstm_cell", needs_legacy_keras=True),
        Program("monitored", writes_checkpoints=True),
        Program("multi_tower"),
        Program("pre_one", writes_checkpoints=True, older_than_one=True),
        Program("ptb_lm"),
        Program("segmentation"),
        Program("slim_clones"),
        Program("supervisor", writes_checkpoints=True),
    )
}
