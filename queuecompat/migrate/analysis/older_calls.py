"""Finds calls that NumPy, Python and PyYAML now reject, or answer differently, and their replacements.

``_namespace.older.calls`` keeps them working in programs that run unchanged. Problems that show only at run time (lists
of unequal lengths, ``float`` of an array) are not found here.
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
      call: the call as it is.
      new: a call with the same meaning in both old and current versions.
      written: for messages: the outdated part of the call.
      now: for messages: what to write.
      owner: the package that the function belongs to.
    """

    call: cst.Call
    new: cst.Call
    written: str
    now: str
    owner: str = "NumPy"


def older_calls(source: Source) -> Iterator[OlderCall]:
    """Each such call, in the order of the text."""
    for call in source.every(cst.Call):
        is_open = isinstance(call.func, cst.Name) and call.func.value == "open"
        find = _FORMS.get("open" if is_open else source.names.full(call.func) or "")
        found = find(source, call) if find else None
        if found is not None:
            yield found


def _named(keyword: str, now: str) -> Callable[[Source, cst.Call], Optional[OlderCall]]:
    """For functions whose argument *keyword* is now called *now*."""

    def find(source: Source, call: cst.Call) -> Optional[OlderCall]:
        if argument(call, keyword) is None:
            return None
        new = [_with_keyword(one, now) if _keyword(one) == keyword else one for one in call.args]
        function = source.code(call.func)
        return OlderCall(call, call.with_changes(args=new), f"{function}({keyword}=...)", f"{now}=...")

    return find


def _array(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.array(x, copy=False)``, which is now ``np.asarray(x)``."""
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
    """``np.vstack(map(f, x))``, which now needs a list."""
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
    """``np.sum(i for i in x)``, which called Python's ``sum``."""
    if len(call.args) != 1 or not isinstance(call.args[0].value, cst.GeneratorExp):
        return None
    new = call.with_changes(func=cst.Name("sum"))
    return OlderCall(call, new, f"{source.code(call.func)}() of a generator", "sum(...)")


def _kind(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``np.issubdtype(x, float)``, where ``float`` meant any floating-point type."""
    kind = argument(call, "arg2", 1)
    if not isinstance(kind, cst.Name) or kind.value not in _KINDS or not isinstance(call.func, cst.Attribute):
        return None
    now = call.func.with_changes(attr=cst.Name(_KINDS[kind.value]))
    new = [one.with_changes(value=now) if one.value is kind else one for one in call.args]
    written = f"{source.code(call.func)}(..., {kind.value})"
    return OlderCall(call, call.with_changes(args=new), written, source.code(now))


def _opened(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``open(path, "rU")``: text mode already converts all line ends."""
    mode = argument(call, "mode", 1)
    text = mode.evaluated_value if isinstance(mode, cst.SimpleString) else None
    if not isinstance(text, str) or "U" not in text:
        return None
    now = "".join(dict.fromkeys(f"r{text.replace('U', '')}"))
    string = cst.SimpleString(f'"{now}"')
    new = [one.with_changes(value=string) if one.value is mode else one for one in call.args]
    return OlderCall(call, call.with_changes(args=new), f'open(..., "{text}")', f'open(..., "{now}")', "Python")


def _without_encoding(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``json.load(file, encoding=...)``, which ignored the argument."""
    rest = [one for one in call.args if _keyword(one) != "encoding"]
    if len(rest) == len(call.args) or not rest:
        return None
    rest[-1] = rest[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    function = source.code(call.func)
    return OlderCall(call, call.with_changes(args=rest), f"{function}(encoding=...)", f"{function}(...)", "Python")


def _without_loader(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``yaml.load(file)``, which now needs a loader that restricts what objects the file may create."""
    if len(call.args) != 1 or call.args[0].keyword or call.args[0].star or not isinstance(call.func, cst.Attribute):
        return None
    owner = source.code(call.func.value)
    loader = cst.parse_expression(f"f(x, Loader={owner}.FullLoader)")
    new = [call.args[0].with_changes(comma=loader.args[0].comma), loader.args[1]]  # type: ignore[attr-defined]
    written = source.code(call.func)
    return OlderCall(
        call, call.with_changes(args=new), f"{written}(file)", f"{written}(file, Loader={owner}.FullLoader)", "PyYAML"
    )


def _of_set(source: Source, call: cst.Call) -> Optional[OlderCall]:
    """``random.sample`` of a set, which drew from its elements in the set's order."""
    population = argument(call, "population", 0)
    is_made = isinstance(population, cst.Call) and source.code(population.func) in ("frozenset", "set")
    if not is_made and not isinstance(population, (cst.Set, cst.SetComp)):
        return None
    listed = cst.Call(cst.Name("list"), [cst.Arg(population)])  # type: ignore[arg-type]
    new = [one.with_changes(value=listed) if one.value is population else one for one in call.args]
    function = source.code(call.func)
    written = call.with_changes(args=new)
    return OlderCall(call, written, f"{function}() of a set", f"{function}(list(...), ...)", "Python")


def _keyword(one: cst.Arg) -> str:
    return one.keyword.value if one.keyword else ""


def _with_keyword(one: cst.Arg, name: str) -> cst.Arg:
    return one.with_changes(keyword=cst.Name(name))


def _is_iterator(source: Source, value: cst.BaseExpression) -> bool:
    if not isinstance(value, cst.Call):
        return isinstance(value, cst.GeneratorExp)
    return source.code(value.func) in ("filter", "map", "zip")


_KINDS = {"complex": "complexfloating", "float": "floating", "int": "signedinteger"}
_OF_NUMPY: Dict[str, Callable[[Source, cst.Call], Optional[OlderCall]]] = {
    "array": _array,
    "issubdtype": _kind,
    "sum": _summed,
    **dict.fromkeys(("column_stack", "dstack", "hstack", "stack", "vstack"), _stacked),
    **dict.fromkeys(("nanpercentile", "nanquantile", "percentile", "quantile"), _named("interpolation", "method")),
    **dict.fromkeys(("histogram", "histogram2d", "histogramdd"), _named("normed", "density")),
}
_FORMS = {
    **{f"numpy.{name}": find for name, find in _OF_NUMPY.items()},
    "json.load": _without_encoding,
    "json.loads": _without_encoding,
    "open": _opened,
    "random.sample": _of_set,
    "yaml.load": _without_loader,
    "yaml.load_all": _without_loader,
}
