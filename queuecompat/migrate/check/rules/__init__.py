"""The rules of ``check``, one per file, each a function with the codes that it reports.

A rule is a function from a source to its findings. It decides from the syntax tree and the meaning of names; where
these do not settle the question, it reports nothing.
"""

from __future__ import annotations

from queuecompat.migrate.check.rules.cache_of_random import cache_of_random
from queuecompat.migrate.check.rules.kept_remainder import kept_remainder
from queuecompat.migrate.check.rules.names_of_tf1 import names_of_tf1
from queuecompat.migrate.check.rules.names_of_then import names_of_then
from queuecompat.migrate.check.rules.old_iterators import old_iterators
from queuecompat.migrate.check.rules.other_names import other_names
from queuecompat.migrate.check.rules.python_random import python_random
from queuecompat.migrate.check.rules.renamed_calls import renamed_calls
from queuecompat.migrate.check.rules.stacked_list import stacked_list
from queuecompat.migrate.check.rules.weak_shuffle import weak_shuffle

__all__ = ["ORDER"]

ORDER = (
    names_of_tf1,
    other_names,
    names_of_then,
    renamed_calls,
    old_iterators,
    python_random,
    weak_shuffle,
    stacked_list,
    cache_of_random,
    kept_remainder,
)
