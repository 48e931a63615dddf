"""The plan: what stands between a source and a terminal, as a frozen list of steps.

Rule 1: a plan is a straight line. Its first step makes elements, every later one takes them from
        the step before. Where several pipelines meet, the first step is ``Zip`` (an element of
        each) or ``Merge`` (an element of whichever has one), and holds them.
Rule 2: a step says what comes out of it (``components``); an element is a flat tuple of tensors.
Rule 3: a plan is valid before and after every pass; ``validate`` says what is not.
Rule 4: no session, no TensorFlow op is made here. A ``Body`` is opaque (``bodies``): the passes ask it only
        about its effects.
Rule 5: a plan is data. What lives in a graph or a session (streams, counters, gates, drawn seeds) it
        names, by the key of a stage or by a number; the back end that lowers it looks the names up
        (``resources.Resources``).

``Queue`` is TF1's queue as captured; the passes replace it by ``Shuffle`` and ``Prefetch``, which
is all that lowering knows.
"""

from __future__ import annotations

from queuecompat._plan.bodies import Components
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
    "static_rows",
    "validate",
]
