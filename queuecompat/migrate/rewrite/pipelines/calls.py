"""A call of one of TensorFlow 1's input functions, whose arguments are asked for by name."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

import libcst as cst

from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["InputCall", "positions"]

# Arguments that change nothing in a dataset.
_WITHOUT_EFFECT = {"capacity", "name", "num_threads", "shared_name"}


@dataclasses.dataclass(frozen=True)
class InputCall:
    """One call.

    Attributes:
      source: where it stands.
      call: the call.
      positions: the place of each parameter that it may be given by place.
    """

    source: Source
    call: cst.Call
    positions: Dict[str, int]

    def value(self, name: str) -> Optional[cst.BaseExpression]:
        """An argument; None if it is not given."""
        return argument(self.call, name, self.positions.get(name))

    def code(self, name: str) -> str:
        """An argument as it is written; "" if it is not given."""
        found = self.value(name)
        return "" if found is None else self.source.code(found)

    def written_out(self, name: str) -> Optional[cst.BaseExpression]:
        """An argument; of one that is a name, what that is assigned, if it is assigned once."""
        found = self.value(name)
        if not isinstance(found, cst.Name):
            return found
        parents = self.source.parents
        statements = [parents.get(parents[one]) for one in self.source.names.definitions(found) if one in parents]
        values = [one.value for one in statements if isinstance(one, cst.Assign)]
        return values[0] if len(values) == len(statements) == 1 else found

    def is_true(self, name: str) -> bool:
        """Whether a switch is on; it is off where it is not given.

        Raises:
          UnsupportedPatternError: that is decided while the program runs.
        """
        code = self.code(name)
        if code not in ("", "False", "True"):
            raise refused("decided-at-run", self.call, name=name)
        return code == "True"

    def require_only(self, *names: str) -> None:
        """
        Raises:
          UnsupportedPatternError: it has other arguments than *names* and those with a position, or any with a star.
        """
        given = {one.keyword.value for one in self.call.args if one.keyword}
        strange = given - {*names, *self.positions, *_WITHOUT_EFFECT}
        if strange:
            raise refused("unknown-argument", self.call, names=", ".join(sorted(strange)))
        starred = [one.star + self.source.code(one.value) for one in self.call.args if one.star]
        if starred:
            raise refused("starred-argument", self.call, given=" and ".join(starred))

    def listed(self, name: str) -> List[cst.BaseExpression]:
        """The elements of an argument that is a list or tuple.

        Raises:
          UnsupportedPatternError: it is something else, or has an element with a star.
        """
        found = self.value(name)
        if not isinstance(found, (cst.List, cst.Tuple)) or not all(type(x) is cst.Element for x in found.elements):
            raise refused("tensors-not-listed", self.call)
        return [element.value for element in found.elements]


def positions(*names: str) -> Dict[str, int]:
    """The place of each of *names*."""
    return {name: place for place, name in enumerate(names)}
