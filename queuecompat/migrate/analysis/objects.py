"""Objects of a program: which class an object has that one file creates, stores or gets as an argument.

Rule 1: an object is followed from where it is used to where it is created, ``Reader(files)``: through a name or an
        attribute that the program assigns once, and through a parameter, to all calls of its function.
Rule 2: a method is resolved if all these calls create objects of one class, and if every attribute of that name
        outside the file of the method's class, which may be a base class, is the same method.
Rule 3: in doubt an object is unknown.
"""

from __future__ import annotations

import functools
from typing import Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence, Set, Tuple

import libcst as cst

from queuecompat.migrate.analysis.attributes import assigned, is_named_elsewhere
from queuecompat.migrate.analysis.call_graph import class_of, definition
from queuecompat.migrate.analysis.places import Place, Use
from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["Objects"]


class Objects:
    """The objects of a program.

    Args:
      sources: the files of the program.
      uses: returns where a file names functions or classes of other files.
      place_of: returns the function or class of another file that a name in a file refers to.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        uses: Callable[[Source], Sequence[Use]],
        place_of: Callable[[Source, cst.BaseExpression], Optional[Place]],
    ) -> None:
        self._sources, self._uses, self._place_of = sources, uses, place_of
        self._methods: Dict[Source, List[Use]] = {}

    def methods(self, source: Source) -> Sequence[Use]:
        """Where *source* names methods of objects of classes of other files."""
        if source not in self._methods:
            found = [(node, self._method(source, node)) for node in self._attributes(source)]
            known = [Use(node, source.code(node), place) for node, place in found if place is not None]
            self._methods[source] = [one for one in known if self._means_one(one)]
        return self._methods[source]

    def _attributes(self, source: Source) -> Iterator[cst.Attribute]:
        for one in source.every(cst.Attribute):
            if one.attr.value in self._method_names and source.names.full(one) is None:
                yield one

    @functools.cached_property
    def _method_names(self) -> FrozenSet[str]:
        functions = (one for source in self._sources for one in source.every(cst.FunctionDef) if class_of(source, one))
        return frozenset(one.name.value for one in functions)

    def _method(self, source: Source, node: cst.Attribute) -> Optional[Place]:
        """The method that *node* refers to, of a class of another file: ``Reader(files).batches``."""
        kinds = [self._class(*made) for made in self._creators(source, node.value)]
        kind = kinds[0] if kinds else None
        if kind is None or any(one is None or one.node is not kind.node for one in kinds):
            return None
        found = self._of_class(kind, node.attr.value)
        return None if found is None or found.source is source else found

    def _of_class(self, kind: Place, name: str, depth: int = 8) -> Optional[Place]:
        """The method *name* of the class *kind*, or of a base class; None if that is not certain."""
        for one in kind.node.body.body:  # type: ignore[attr-defined]
            if isinstance(one, cst.FunctionDef) and one.name.value == name:
                return Place(kind.source, one)
        bases = kind.node.bases  # type: ignore[attr-defined]
        if len(bases) != 1 or not depth:
            return None
        base = self._named_class(kind.source, bases[0].value)
        return None if base is None else self._of_class(base, name, depth - 1)

    def _class(self, source: Source, call: cst.Call) -> Optional[Place]:
        """The class that *call* creates an object of."""
        return self._named_class(source, call.func)

    def _named_class(self, source: Source, name: cst.BaseExpression) -> Optional[Place]:
        own = definition(source, name)
        if isinstance(own, cst.ClassDef):
            return Place(source, own)
        found = self._place_of(source, name)
        return found if found is not None and isinstance(found.node, cst.ClassDef) else None

    def _creators(
        self, source: Source, owner: cst.BaseExpression, seen: FrozenSet[cst.CSTNode] = frozenset()
    ) -> List[Tuple[Source, cst.Call]]:
        """The calls that may create the object *owner*; none if they are known only at run time."""
        if isinstance(owner, cst.Call):
            return [(source, owner)]
        target = _only_target(source, owner)
        if target is None or target in seen:
            return []
        if isinstance(target, cst.Param):
            return self._passed(source, target, seen | {target})
        value = source.assigned_value(target)
        return [] if value is None else self._creators(source, value, seen | {target})

    def _passed(
        self, source: Source, parameter: cst.Param, seen: FrozenSet[cst.CSTNode]
    ) -> List[Tuple[Source, cst.Call]]:
        """The calls that may create what is passed for *parameter*, of a function or ``__init__``."""
        function = source.around(parameter, (cst.FunctionDef, cst.Lambda))
        if not isinstance(function, cst.FunctionDef) or parameter not in function.params.params:
            return []
        kind = class_of(source, function)
        position = function.params.params.index(parameter) - (kind is not None)
        if position < 0 or (kind is not None and function.name.value != "__init__"):
            return []
        found: List[Tuple[Source, cst.Call]] = []
        for user, node in self._mentions(source, function if kind is None else kind):
            call = user.parents.get(node)
            is_call = isinstance(call, cst.Call) and call.func is node
            value = argument(call, parameter.name.value, position) if is_call else None  # type: ignore[arg-type]
            created = [] if value is None else self._creators(user, value, seen)
            if not created:
                return []
            found += created
        return found

    def _mentions(self, source: Source, place: cst.CSTNode) -> Iterator[Tuple[Source, cst.CSTNode]]:
        """Where the program names *place*, a function or class of *source*."""
        own = place.name  # type: ignore[attr-defined]
        for name in source.every(cst.Name):
            if name.value == own.value and name is not own and definition(source, name) is place:
                yield source, name
        for user in self._sources:
            yield from ((user, use.node) for use in self._uses(user) if use.place.node is place)

    def _means_one(self, use: Use) -> bool:
        """Whether every attribute of that name outside the class's own file refers to the same method."""
        name = use.node.attr.value  # type: ignore[attr-defined]
        if name in self._looked_up:
            return False
        others = (
            (one, node)
            for one, node in self._attributes_called[name]
            if one is not use.place.source and one.names.full(node) is None
        )
        return all((self._method(*one) or use).node is use.place.node for one in others)

    @functools.cached_property
    def _attributes_called(self) -> Dict[str, List[Tuple[Source, cst.Attribute]]]:
        """All attributes, such as ``data.batches``, by their last name."""
        found: Dict[str, List[Tuple[Source, cst.Attribute]]] = {}
        for source in self._sources:
            for node in source.every(cst.Attribute):
                found.setdefault(node.attr.value, []).append((source, node))
        return found

    @functools.cached_property
    def _looked_up(self) -> Set[str]:
        """The attribute names that a file may look up by a string."""
        asking = [one for one in self._sources if any(name.value == "getattr" for name in one.every(cst.Name))]
        texts = (text for one in asking for text in one.every(cst.SimpleString))
        return {one.raw_value for one in texts if isinstance(one.raw_value, str)}


def _only_target(source: Source, owner: cst.BaseExpression) -> Optional[cst.CSTNode]:
    """The only place that assigns to *owner*, a name or an attribute: a target, or a parameter."""
    if isinstance(owner, cst.Name):
        found = source.names.definitions(owner)
        around = source.parents.get(found[0]) if len(found) == 1 else None
        return around if isinstance(around, cst.Param) else found[0] if around is not None else None
    if isinstance(owner, cst.Attribute) and not is_named_elsewhere(source, owner.attr.value):
        places = [one for one in source.once(assigned) if one.target.attr.value == owner.attr.value]
        return places[0].target if len(places) == 1 else None
    return None
