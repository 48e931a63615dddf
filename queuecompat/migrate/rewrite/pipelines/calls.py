"""A call of one of TensorFlow 1's input functions, with access to its arguments by name."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

import libcst as cst

from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["InputCall", "positions"]

# Arguments that have no effect on a dataset.
_WITHOUT_EFFECT = {"capacity", "name", "num_threads", "shared_name"}


@dataclasses.dataclass(frozen=True)
class InputCall:
    """One call.

    Attributes:
      source: the file that contains it.
      call: the call.
      positions: from parameter names to positions, for parameters that may be passed by position.
    """

    source: Source
    call: cst.Call
    positions: Dict[str, int]

    def value(self, name: str) -> Optional[cst.BaseExpression]:
        """The value of an argument; None if it is not passed."""
        return argument(self.call, name, self.positions.get(name))

    def code(self, name: str) -> str:
        """The code of an argument; "" if it is not passed."""
        found = self.value(name)
        return "" if found is None else self.source.code(found)

    def written_out(self, name: str) -> Optional[cst.BaseExpression]:
        """The value of an argument; if that is a name that is assigned once, the assigned value."""
        found = self.value(name)
        if not isinstance(found, cst.Name):
            return found
        parents = self.source.parents
        statements = [parents.get(parents[one]) for one in self.source.names.definitions(found) if one in parents]
        values = [one.value for one in statements if isinstance(one, cst.Assign)]
        return values[0] if len(values) == len(statements) == 1 else found

    def is_true(self, name: str) -> bool:
        """Whether a boolean argument is True; one that is not passed counts as False.

        Raises:
          UnsupportedPatternError: its value is known only at run time.
        """
        code = self.code(name)
        if code not in ("", "False", "True"):
            raise refused("decided-at-run", self.call, name=name)
        return code == "True"

    def require_only(self, *names: str) -> None:
        """Requires that the call has no other arguments than *names* and those with a position.

        Raises:
          UnsupportedPatternError: it has other arguments, or a starred one.
        """
        given = {one.keyword.value for one in self.call.args if one.keyword}
        strange = given - {*names, *self.positions, *_WITHOUT_EFFECT}
        if strange:
            raise refused("unknown-argument", self.call, names=", ".join(sorted(strange)))
        starred = [one.star + self.source.code(one.value) for one in self.call.args if one.star]
        if starred:
            raise refused("starred-argument", self.call, given=" and ".join(starred))

    def listed(self, name: str) -> List[cst.BaseExpression]:
        """The elements of an argument that is a list or tuple display.

        Raises:
          UnsupportedPatternError: it is anything else, or has a starred element.
        """
        found = self.value(name)
        if not isinstance(found, (cst.List, cst.Tuple)) or not all(type(x) is cst.Element for x in found.elements):
            raise refused("tensors-not-listed", self.call)
        return [element.value for element in found.elements]


def positions(*names: str) -> Dict[str, int]:
    """Maps each of *names* to its position."""
    return {name: place for place, name in enumerate(names)}
