"""Whether each example is like the first one, which shows what all have to look like.

Locks: reading the inferred spec needs none: it is set once, as the last of what is set with it.
"""

from __future__ import annotations

from typing import Any, Callable, ContextManager, List

import numpy as np

from queuecompat.loader.failures import LoadError, load_error, named
from queuecompat.loader.memory.structures import ExampleSpec, leaves_of, objects_of, spec_of
from queuecompat.loader.run.work import InferredSpec, Work

__all__ = ["SpecCheck"]


class SpecCheck:
    """See the module.

    Args:
      inferred: what is known, and where it is noted.
      lock: the run's.
      wait: called, with the lock held, before an example may show it: until no item before its own can.
      tell: called, with the lock held, when the first example has shown it.
    """

    def __init__(
        self,
        inferred: InferredSpec,
        lock: ContextManager[Any],
        wait: Callable[[Work], None],
        tell: Callable[[], None],
        made_at: str,
    ) -> None:
        self.inferred = inferred
        self._lock = lock
        self._wait = wait
        self._tell = tell
        self._made_at = made_at

    def learn(self, work: Work, value: Any, *, several: bool) -> List[np.ndarray]:
        """The arrays of one example. Raises if it is not like the others."""
        inferred = self.inferred
        if inferred.spec is not None and inferred.several == several:
            known = inferred.spec.leaves_of(value)
            if known is not None:
                return known
        treedef, leaves = leaves_of(value)
        self.check(work, spec_of(treedef, leaves), objects_of(leaves), several=several)
        return leaves

    def check(self, work: Work, spec: ExampleSpec, objects: List[np.ndarray], *, several: bool) -> None:
        """Raises if *spec* is not that of the others; *objects* are those arrays that hold Python objects."""
        inferred = self.inferred
        if inferred.spec == spec and inferred.several == several:
            return
        with self._lock:
            if inferred.spec is None:
                self._wait(work)
            if inferred.spec is None:
                inferred.several, inferred.model = several, named(work.item, work.value)
                inferred.objects = objects
                inferred.spec = spec
                self._tell()
        if inferred.spec != spec or inferred.several != several:
            raise self.misfit(work, str(spec), several=several)

    def misfit(self, work: Work, spec: str, *, several: bool) -> LoadError:
        """*work* produced something else than the others."""
        kinds = {True: "several examples (an iterator)", False: "one example"}
        code, given, other = "QC607", spec, str(self.inferred.spec)
        if several != self.inferred.several:
            code, given, other = "QC608", kinds[several], kinds[not several]
        model = self.inferred.model
        return load_error(code, self._made_at, item=work.item, value=work.value, given=given, model=model, other=other)
