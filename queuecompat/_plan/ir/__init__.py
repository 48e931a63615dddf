"""The intermediate representation: a plan is the frozen list of steps from a source to a terminal.

Rule 1: a plan is linear. Its first step is the source of the elements; every later step transforms
        the elements of the step before it. Where several pipelines meet, the first step is ``Zip``
        (one element from each pipeline) or ``Merge`` (an element from any pipeline that has one),
        and contains their plans as its ``branches``.
Rule 2: each step declares the specs of its output (``components``); an element is a flat tuple of tensors.
Rule 3: a plan is valid before and after every pass; ``validate`` checks this.
Rule 4: nothing here uses a session or creates a TensorFlow op. The passes see a ``Body`` (``bodies``)
        only through its interface: the facts about its effects and the forms that it can be rewritten to.
Rule 5: a plan is pure data. Objects that live in a graph or a session (streams, counters, gates, seeds
        drawn at run time) are referred to by the key of a stage or by a number; the back end that
        lowers the plan looks them up (``resources.Resources``).

``Queue`` is TF1's queue as captured. The passes replace it by ``Shuffle`` and ``Prefetch``; lowering
does not know ``Queue``.
"""

from __future__ import annotations

from queuecompat._plan.bodies import Components, rows_spec
from queuecompat._plan.ir.buffers import EVENTS, Batch, Bucket, Count, Growth, Prefetch, Queue, Shuffle
from queuecompat._plan.ir.plan import Plan, Seeds, Step
from queuecompat._plan.ir.reading import Blocks, FileLayout, Part, Read
from queuecompat._plan.ir.slices import Cache, Filter, Run, Skip, Unbatch
from queuecompat._plan.ir.sources import Distribute, Endless, Entrance, Merge, Produce, Pull, Zip
from queuecompat._plan.ir.walks import all_steps, are_computed, mapped, static_rows, validate

__all__ = [
    "EVENTS",
    "Batch",
    "Blocks",
    "Bucket",
    "Cache",
    "Components",
    "Count",
    "Distribute",
    "Endless",
    "Entrance",
    "FileLayout",
    "Filter",
    "Growth",
    "Merge",
    "Part",
    "Plan",
    "Prefetch",
    "Produce",
    "Pull",
    "Queue",
    "Read",
    "Run",
    "Seeds",
    "Shuffle",
    "Skip",
    "Step",
    "Unbatch",
    "Zip",
    "all_steps",
    "are_computed",
    "mapped",
    "rows_spec",
    "static_rows",
    "validate",
]
