"""Plans for the passes' tests, as text: see ``printing``, whose form is that of calls with what is not the default."""

from __future__ import annotations

import textwrap
from typing import Any, List

import tensorflow as tf

from queuecompat._plan import ir
from queuecompat._plan.printing import ParsedBody, parsed, printed

__all__ = ["FILES", "NUMBER", "PRODUCE", "READ", "ParsedBody", "kinds", "named", "parsed", "plan", "run", "steps"]

NUMBER = (tf.TensorSpec([], tf.int32),)

# What most plans begin with: numbers or files that are reshuffled every epoch, and their records.
PRODUCE = "produce(body=body('rows'), seeds=(None, None)) -> int32[]"
FILES = "produce(body=body('names')) -> string[]"
READ = f"{FILES}\nread(layout=filelayout(name='TFRecord'), with_key=True) -> string[], string[]"


def run(facts: str = "", uses: str = "(0,)", specs: str = "int32[]", **fields: Any) -> str:
    """A slice of which *facts* are known, such as ``is_seeded=True``."""
    body = f"body('f'{', ' if facts else ''}{facts})"
    return f"run({', '.join([f'body={body}', f'uses={uses}', *(f'{k}={v!r}' for k, v in fields.items())])}) -> {specs}"


def plan(*lines: str, preview: bool = False) -> ir.Plan:
    """The plan of *lines*, each one or several steps."""
    text = textwrap.indent("\n".join(textwrap.dedent(line).strip("\n") for line in lines), "  ")
    return parsed(f"plan 'p' at 'here.py:1'{', preview' if preview else ''}\n{text}")


def steps(changed: ir.Plan) -> str:
    """The text of the steps."""
    return textwrap.dedent("\n".join(printed(ir.validate(changed)).splitlines()[1:]))


def kinds(changed: ir.Plan) -> List[str]:
    """What kinds of steps there are, without their fields."""
    return [line.partition("(")[0] for line in steps(changed).splitlines()]


def named(changed: ir.Plan, kind: str) -> Any:
    """The one step of that kind."""
    (step,) = (one for one in ir.all_steps(changed) if type(one).__name__.lower() == kind)
    return step
