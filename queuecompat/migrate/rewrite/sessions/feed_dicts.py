"""Dicts of fed values that have a name: in eager mode their keys are the names of the placeholders, as strings.

    feed_dict = {rate: 0.5 / step}             ->      feed_dict = {"rate": 0.5 / step}
    sess.run(loss, feed_dict=feed_dict)                rate = tf.constant(feed_dict["rate"], tf.float32)
                                                       ...

Rule 1: the name is used only for dicts with the same placeholders, and for runs that feed it. A run then finds its
        values in whichever of the dicts the name refers to.
Rule 2: a value is read at the run, as a session did, and not earlier.
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import libcst as cst

from queuecompat.migrate.analysis.statements import Statement
from queuecompat.migrate.rewrite.refusals import refused
from queuecompat.migrate.rewrite.sessions.plumbing import Plumbing
from queuecompat.migrate.source.edits import replaced
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["FeedDicts"]


class FeedDicts:
    """The dicts that are fed to the runs of a block."""

    def __init__(self, source: Source, plumbing: Plumbing, statements: Sequence[Statement]) -> None:
        self._source = source
        self._keys: Dict[str, List[str]] = {}
        runs = [call for one in statements for call in plumbing.runs(one)]
        given = [(call, argument(call, "feed_dict", 1)) for call in runs]
        self._feeding = {feeds for _, feeds in given if isinstance(feeds, cst.Name)}
        for call, feeds in given:
            if isinstance(feeds, cst.Name) and feeds.value not in self._keys and feeds.value != "None":
                keys = self._keys_of(call, feeds.value)
                if keys:
                    self._keys[feeds.value] = keys

    def _keys_of(self, call: cst.Call, name: str) -> Optional[List[str]]:
        """The names of the placeholders in all dicts called *name*; None if the name has any other use."""
        around = self._source.around(call, cst.FunctionDef)
        keywords = {one.keyword for one in self._source.every(cst.Arg) if one.keyword is not None}
        found: List[List[str]] = []
        for one in self._source.every(cst.Name, around or self._source.tree):
            if one.value != name or one in keywords or one in self._feeding:
                continue
            target = self._source.parents.get(one)
            line = self._source.parents.get(target) if isinstance(target, cst.AssignTarget) else None
            keys = _keys(line.value) if isinstance(line, cst.Assign) and len(line.targets) == 1 else []
            if not keys:
                return None
            found.append(sorted(keys))
        return found[0] if found and all(one == found[0] for one in found) else None

    def makes(self, line: Statement) -> bool:
        """Whether *line* creates such a dict."""
        return self._made_by(line) is not None

    def _made_by(self, line: Statement) -> Optional[cst.Dict]:
        statement = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else None
        if not isinstance(statement, cst.Assign) or not isinstance(statement.value, cst.Dict):
            return None
        target = statement.targets[0].target
        return statement.value if isinstance(target, cst.Name) and target.value in self._keys else None

    def with_strings(self, line: Any) -> Any:
        """*line*; if it creates such a dict, with strings as keys."""
        made = self._made_by(line)
        keys = [one.key for one in made.elements if isinstance(one, cst.DictElement)] if made else []
        return replaced(line, {key: cst.SimpleString(f'"{key.value}"') for key in keys if isinstance(key, cst.Name)})

    def values(self, line: cst.CSTNode, feeds: Optional[cst.BaseExpression]) -> Dict[str, cst.BaseExpression]:
        """The expressions that a run's ``feed_dict`` passes, by the names of the placeholders.

        Raises:
          UnsupportedPatternError: they are not written out.
        """
        if feeds is None or (isinstance(feeds, cst.Name) and feeds.value == "None"):
            return {}
        if isinstance(feeds, cst.Name) and feeds.value in self._keys:
            names = self._keys[feeds.value]
            return {name: cst.parse_expression(f'{feeds.value}["{name}"]') for name in names}
        if not _keys(feeds):
            raise refused("fed", line)
        return {one.key.value: one.value for one in feeds.elements}  # type: ignore[attr-defined]


def _keys(node: cst.BaseExpression) -> List[str]:
    """The names that are the keys of a dict; empty for anything else."""
    elements = list(node.elements) if isinstance(node, cst.Dict) else []
    plain = [one.key.value for one in elements if isinstance(one, cst.DictElement) and isinstance(one.key, cst.Name)]
    return plain if len(plain) == len(elements) else []
