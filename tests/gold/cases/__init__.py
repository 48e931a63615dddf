"""The gold cases: functions of a ``tf`` namespace whose results TF 1.15.5 has decided.

Importing this package fills CASES, from case name to function. They are recorded by
``record.py`` and compared by ``test_gold.py``, beside this package.
"""

from . import (
    batching,
    every_argument,
    failures,
    fixed_records,
    joining,
    keeping,
    producing,
    reader_state,
    record_readers,
    refusals,
    shuffling,
    sparse,
    streams,
    text_lines,
    whole_files,
)  # noqa: F401
from .harness import CASES

__all__ = ["CASES"]
