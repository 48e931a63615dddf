"""Checks that every example has the same spec (structure, shapes and dtypes) as the first one.

Locks: reading the inferred spec needs no lock, since it is set only once, after the other fields of ``InferredSpec``.
"""

from __future__ import annotations

from typing import Any, Callable, ContextManager, List

import numpy as np

from queuecompat.loader.failures import LoadError, load_error, named
from queuecompat.loader.memory.structures import ExampleSpec, leaves_of, objects_of, spec_of
from queuecompat.loader.run.work import InferredSpec, Work

__all__ = ["SpecCheck"]


class SpecCheck:
    """Checks the examples of a run against the spec of the first.

    Args:
      inferred: holds the spec; filled in by the first example.
      lock: the run's lock.
      wait_for_turn: called with the lock held before an example may determine the spec. It waits until an earlier item
        has determined the spec, or no earlier item is left that could.
      on_inferred: called with the lock held when the first example has determined the spec.
      made_at: the user's line, for messages.
    """

    def __init__(
        self,
        inferred: InferredSpec,
        lock: ContextManager[Any],
        wait_for_turn: Callable[[Work], None],
        on_inferred: Callable[[], None],
        made_at: str,
    ) -> None:
        self.inferred = inferred
        self._lock = lock
        self._wait_for_turn = wait_for_turn
        self._on_inferred = on_inferred
        self._made_at = made_at

    def learn(self, work: Work, value: Any, *, several: bool) -> List[np.ndarray]:
        """Returns the arrays of *value*, an example of *work*, after checking it like ``check``.

        Args:
          several: whether *work* produces several examples, through an iterator.
        Raises:
          LoadError, NotWantedError: as ``check``.
        """
        inferred = self.inferred
        if inferred.spec is not None and inferred.several == several:
            known = inferred.spec.leaves_of(value)
            if known is not None:
                return known
        treedef, leaves = leaves_of(value)
        self.check(work, spec_of(treedef, leaves), objects_of(leaves), several=several)
        return leaves

    def check(self, work: Work, spec: ExampleSpec, objects: List[np.ndarray], *, several: bool) -> None:
        """Checks *spec*, that of an example of *work*; the first example determines the spec of all.

        Args:
          objects: the arrays of the example that hold Python objects.
          several: whether *work* produces several examples, through an iterator.
        Raises:
          LoadError: QC607, *spec* differs from the others'; QC608, only some items produce several examples.
          NotWantedError: the run has ended.
        """
        inferred = self.inferred
        if inferred.spec == spec and inferred.several == several:
            return
        with self._lock:
            if inferred.spec is None:
                self._wait_for_turn(work)
            if inferred.spec is None:
                inferred.several, inferred.model = several, named(work.item, work.value)
                inferred.objects = objects
                inferred.spec = spec
                self._on_inferred()
        if inferred.spec != spec or inferred.several != several:
            raise self.misfit(work, str(spec), several=several)

    def misfit(self, work: Work, spec: str, *, several: bool) -> LoadError:
        """Returns the error for *work*, which differs from the first example in *spec* (as text) or in *several*."""
        kinds = {True: "several examples (an iterator)", False: "one example"}
        code, given, other = "QC607", spec, str(self.inferred.spec)
        if several != self.inferred.several:
            code, given, other = "QC608", kinds[several], kinds[not several]
        model = self.inferred.model
        return load_error(code, self._made_at, item=work.item, value=work.value, given=given, model=model, other=other)
