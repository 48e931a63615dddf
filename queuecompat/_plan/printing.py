"""Prints a plan as text and parses it: the form of plans in tests of passes and in ``explain(passes=True)``.

One line for each step: a call with the fields that have no default or differ from it, and the specs of the output. The
branches of a ``Zip`` or ``Merge`` follow it, indented, each after a line with its name::

    produce(body=body('rows'), num_epochs=None, seeds=(None, None), capacity=32, stage='producer') -> int32[]
    run(body=body('3 ops', is_random=True), uses=(0,)) -> float32[28,28], int32[]
    queue(capacity=32, min_after_dequeue=8, seed=None, num_threads=1) -> float32[28,28], int32[]

Rule 1: ``printed(parsed(text)) == text`` for every text that ``printed`` returns.
Rule 2: a body is printed as the facts that passes may know. A parsed plan has bodies with these facts that compute
        nothing.
Rule 3: no kind of step is special here: the fields of its class decide how it is printed.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import Any, Dict, Hashable, Iterator, List, Optional, Sequence, Tuple, Type

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.bodies import Around, Body, ConcreteFunction, Writer, alone

__all__ = ["ParsedBody", "parsed", "printed"]

FACTS = (
    "is_empty",
    "is_random",
    "is_seeded",
    "has_effects",
    "may_end",
    "runs_alone",
    "calls_python",
    "keeps_rows",
)
_INDENT = "  "
_SPEC = re.compile(r"(?P<dtype>\w+)\[(?P<shape>[^\]]*)\]")


class ParsedBody(Body):
    """A body that only has facts and computes nothing.

    Args:
      words: its description (``describe``).
      like: its ``structural_hash``.
      facts: which of ``FACTS`` are true.
    """

    keeps_rows = False

    def __init__(self, words: str = "f", like: Optional[Hashable] = None, **facts: bool) -> None:
        self._words = words
        self._like = like
        for fact, holds in facts.items():
            if fact not in FACTS:
                raise ValueError(f"a body has no fact {fact!r}; it has {', '.join(FACTS)}")
            setattr(self, fact, holds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ParsedBody) and _body(self) == _body(other)

    def __hash__(self) -> int:
        return hash(_body(self))

    def structural_hash(self) -> Optional[Hashable]:
        return self._like

    def describe(self) -> str:
        return self._words

    def written(self, name: str, parameters: Sequence[str], writer: Writer) -> List[str]:
        raise NotImplementedError(f"{self._words}: a parsed body computes nothing")

    def function(
        self,
        given: Optional[Sequence[tf.TensorSpec]] = None,
        uses: Sequence[int] = (),
        around: Around = alone,
        carries: bool = False,
    ) -> ConcreteFunction:
        raise NotImplementedError(f"{self._words}: a parsed body computes nothing")


def printed(plan: ir.Plan) -> str:
    """Returns *plan* as text: its name, the user's line, and its steps."""
    preview = ", preview" if plan.is_preview else ""
    return "\n".join([f"plan {plan.name!r} at {plan.made_at!r}{preview}", *_lines(plan, _INDENT)])


def _lines(plan: ir.Plan, indent: str) -> Iterator[str]:
    for step in plan.steps:
        yield f"{indent}{_call(step, _defaults(step))} -> {_specs(step.components)}"
        for branch in getattr(step, "branches", ()):
            yield f"{indent}{_INDENT}plan {branch.name!r} at {branch.made_at!r}"
            yield from _lines(branch, indent + 2 * _INDENT)


def _call(value: Any, left_out: Dict[str, Any]) -> str:
    """Returns a step, or a different dataclass of ``ir``, as the call that makes it.

    Args:
      left_out: the values with which fields are not printed.
    """
    fields = [field for field in dataclasses.fields(value) if field.name not in ("components", "branches")]
    given = [(field.name, getattr(value, field.name)) for field in fields]
    shown = [f"{name}={_value(one)}" for name, one in given if name not in left_out or left_out[name] != one]
    return f"{_name(type(value))}({', '.join(shown)})"


def _value(value: Any) -> str:
    if isinstance(value, Body):
        return _body(value)
    if isinstance(value, ir.Step):
        return f"{_call(value, _defaults(value))[:-1]}, outputs={_specs(value.components)!r})"
    if dataclasses.is_dataclass(value):
        return _call(value, _defaults(value))
    if isinstance(value, tuple):
        return f"({', '.join(map(_value, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _body(body: Body) -> str:
    facts = [f"{fact}=True" for fact in FACTS if getattr(body, fact)]
    like = (
        [f"like={body.structural_hash()!r}"]
        if isinstance(body, ParsedBody) and body.structural_hash() is not None
        else []
    )
    return f"body({', '.join([repr(body.describe()), *like, *facts])})"


def _defaults(value: Any) -> Dict[str, Any]:
    fields = dataclasses.fields(value)
    return {field.name: field.default for field in fields if field.default is not dataclasses.MISSING}


def _name(kind: type) -> str:
    return kind.__name__.lower()


def _specs(components: ir.Components) -> str:
    return ", ".join(f"{spec.dtype.name}[{_shape(spec.shape)}]" for spec in components)


def _shape(shape: tf.TensorShape) -> str:
    if shape.rank is None:
        return "..."
    return ",".join("?" if n is None else str(n) for n in shape.as_list())


def parsed(text: str) -> ir.Plan:
    """Returns the plan in *text*. Without a first line ``plan ... at ...`` it is named ``'p'`` and at ``'here.py:1'``.

    Raises:
      ValueError: *text* is not a valid plan; quotes the line.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines[0].strip().startswith("plan "):
        lines = ["plan 'p' at 'here.py:1'", *(_INDENT + line for line in lines)]
    plan, rest = _plan(lines, _depth(lines[0]))
    if rest:
        raise ValueError(f"not part of the plan: {rest[0]!r}")
    return ir.validate(plan)


def _plan(lines: List[str], depth: int) -> Tuple[ir.Plan, List[str]]:
    head = re.fullmatch(r"plan (?P<name>'.*?') at (?P<at>'.*?')(?P<preview>, preview)?", lines[0].strip())
    if head is None:
        raise ValueError(f"not the first line of a plan: {lines[0]!r}")
    rest, steps = lines[1:], []
    while rest and _depth(rest[0]) > depth:
        step_depth, line = _depth(rest[0]), rest[0].strip()
        rest, branches = rest[1:], []
        while rest and _depth(rest[0]) > step_depth:
            branch, rest = _plan(rest, _depth(rest[0]))
            branches.append(branch)
        steps.append(_step(line, tuple(branches)))
    name, at = ast.literal_eval(head["name"]), ast.literal_eval(head["at"])
    return ir.Plan(name, at, tuple(steps), head["preview"] is not None), rest


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _step(line: str, branches: Tuple[ir.Plan, ...]) -> ir.Step:
    call, _, specs = line.rpartition(" -> ")
    try:
        tree = ast.parse(call, mode="eval").body
    except SyntaxError as problem:
        raise ValueError(f"not a step: {line!r}") from problem
    if not isinstance(tree, ast.Call):
        raise ValueError(f"not a step: {line!r}")
    given = {"components": _parsed_specs(specs), **({"branches": branches} if branches else {})}
    return _made(tree, given)


def _made(tree: ast.Call, given: Dict[str, Any]) -> Any:
    assert isinstance(tree.func, ast.Name)
    if tree.func.id == "body":
        return ParsedBody(*map(_parsed, tree.args), **{str(one.arg): _parsed(one.value) for one in tree.keywords})
    if tree.func.id not in _KINDS:
        raise ValueError(f"no step is called {tree.func.id!r}")
    values = {str(one.arg): _parsed(one.value) for one in tree.keywords}
    if "outputs" in values:
        values["components"] = _parsed_specs(values.pop("outputs"))
    return _KINDS[tree.func.id](**given, **values)


def _parsed(tree: ast.expr) -> Any:
    if isinstance(tree, ast.Call):
        return _made(tree, {})
    if isinstance(tree, ast.Tuple):
        return tuple(map(_parsed, tree.elts))
    return ast.literal_eval(tree)


def _parsed_specs(specs: str) -> ir.Components:
    return tuple(tf.TensorSpec(_parsed_shape(one["shape"]), one["dtype"]) for one in _SPEC.finditer(specs))


def _parsed_shape(shape: str) -> Optional[List[Optional[int]]]:
    if shape == "...":
        return None
    return [None if size == "?" else int(size) for size in shape.split(",") if size]


def _kinds() -> Iterator[Type[Any]]:
    return (one for one in vars(ir).values() if isinstance(one, type) and dataclasses.is_dataclass(one))


_KINDS: Dict[str, Type[Any]] = {_name(kind): kind for kind in _kinds()}
