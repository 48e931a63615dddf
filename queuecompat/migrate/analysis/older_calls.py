"""Calls of NumPy's functions that NumPy refuses by now, or answers otherwise, and what to write in their place.

``_namespace.older_calls`` takes them for programs that run unchanged. What shows only when a program runs (lists of
unequal lengths, ``float`` of an array) is not found here.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import libcst as cst

from queuecompat.migrate.source.nodes import argument
from queuecompat.migrate.source.parsing import Source

__all__ = ["OlderCall", "older_calls"]


class OlderCall(NamedTuple):
    """One such call.

    Attributes:
      new: the call that means the same in NumPy of today and of then.
      written: what is old in it, for people.
      now: what to write, for people.
    """

    call: cst.Call
    new: cst.Call
    written: str
    now: str


def older_calls(source: Source) -> Iterator[OlderCall]:
    """Each call, in the order of the file."""
    for call in source.every(cst.Call):
        full = source.names.full(call.func) or ""
        find = _FORMS.get(full[len("numpy.") :]) if full.startswith("numpy.") else None
        found = find(source, call) if find else None
        if found is not None:
            yield found


def _named(keyword: str, now: str) -> Callable[[Source, cst.Call], Optional[OlderCall]]:
    """Of functions in which the argument *keyword* is called *now*."""

    def find(source: Source, call: cst.Call) -> Optional[OlderCall]:
        if argument(call, keyword) is None:
            return None
        new = [_with_keyword(one, now) if _keyword(one) == keyword else one for one in call.args]
        function = source.code(call.func)
        return OlderCall(call, call.with_changes(args=new), f"{function}({keyword}=...)", f"{now}=...")

    return find


def _array(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.array(x, copy=False)``, which is ``np.asarray(x)``."""
    copy = argument(call, "copy")
    rest = [one for one in call.args if _keyword(one) != "copy"]
    if not isinstance(copy, cst.Name) or copy.value != "False" or {*map(_keyword, rest)} - {"", "dtype", "order"}:
        return None
    if not isinstance(call.func, cst.Attribute) or any(one.star for one in rest):
        return None
    rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    new = call.with_changes(func=call.func.with_changes(attr=cst.Name("asarray")), args=rest)
    return OlderCall(call, new, f"{source.code(call.func)}(copy=False)", f"{source.code(new.func)}(...)")


def _stacked(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.vstack(map(f, x))``, which takes a list."""
    if not call.args or call.args[0].star or not _is_iterator(source, call.args[0].value):
        return None
    made: List[Any] = [cst.Arg(call.args[0].value.with_changes(lpar=(), rpar=()))]
    new = call.args[0].with_changes(value=cst.Call(cst.Name("list"), made))
    function = source.code(call.func)
    return OlderCall(
        call,
        call.with_changes(args=[new, *call.args[1:]]),
        f"{function}() of a generator",
        f"{function}(list(...))",
    )


def _summed(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.sum(i for i in x)``, which was Python's function."""
    if len(call.args) != 1 or not isinstance(call.args[0].value, cst.GeneratorExp):
        return None
    new = call.with_changes(func=cst.Name("sum"))
    return OlderCall(call, new, f"{source.code(call.func)}() of a generator", "sum(...)")


def _kind(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.issubdtype(x, float)``, where ``float`` was any number with a point."""
    kind = argument(call, "arg2", 1)
    if not isinstance(kind, cst.Name) or kind.value not in _KINDS or not isinstance(call.func, cst.Attribute):
        return None
    now = call.func.with_changes(attr=cst.Name(_KINDS[kind.value]))
    new = [one.with_changes(value=now) if one.value is kind else one for one in call.args]
    written = f"{source.code(call.func)}(..., {kind.value})"
    return OlderCall(call, call.with_changes(args=new), written, source.code(now))


def _keyword(one: cst.Arg) -> str:
    return one.keyword.value if one.keyword else ""


def _with_keyword(one: cst.Arg, name: str) -> cst.Arg:
    return one.with_changes(keyword=cst.Name(name))


def _is_iterator(source: Source, value: cst.BaseExpression) -> bool:
    if not isinstance(value, cst.Call):
        return isinstance(value, cst.GeneratorExp)
    return source.code(value.func) in ("filter", "map", "zip")


_KINDS = {"complex": "complexfloating", "float": "floating", "int": "signedinteger"}
_FORMS: Dict[str, Callable[[Source, cst.Call], Optional[OlderCall]]] = {
    "array": _array,
    "issubdtype": _kind,
    "sum": _summed,
    **dict.fromkeys(("column_stack", "dstack", "hstack", "stack", "vstack"), _stacked),
    **dict.fromkeys(("nanpercentile", "nanquantile", "percentile", "quantile"), _named("interpolation", "method")),
    **dict.fromkeys(("histogram", "histogram2d", "histogramdd"), _named("normed", "density")),
}
