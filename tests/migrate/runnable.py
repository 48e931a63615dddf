"""Programs of TensorFlow 1 by seed that run, and what each prints: worked out in plain Python, without TensorFlow.

They read numbers in a fixed order; sources, steps, batches and loops are drawn. The numbers are such that floats hold
them exactly.
"""

from __future__ import annotations

import pathlib
import random
from typing import Callable, Dict, List, NamedTuple, Tuple

from tests.migrate.runnable_forms import INPUTS, SESSIONS, indented
from tests.migrate.runnable_loops import LOOPS

__all__ = ["FILES", "Program", "Runnable", "as_main", "drawn", "runnable_program", "write_files"]

# The lines of the files that programs read.
FILES: Dict[str, List[int]] = {"a.txt": [3, 1, 4, 1, 5], "b.txt": [9, 2, 6], "c.txt": [5, 3, 5, 8, 9, 7, 9]}


class Runnable(NamedTuple):
    """The text of a program, and the lines that it prints."""

    text: str
    lines: List[str]


class Program(NamedTuple):
    """The statements of a program.

    Attributes:
      inputs: those that make its batch.
      names: the names of the batch, as in the text.
      session: those after them.
      lines: the lines that it prints.
    """

    inputs: str
    names: str
    session: str
    lines: List[str]


def write_files(folder: pathlib.Path) -> None:
    for name, numbers in FILES.items():
        (folder / name).write_text("".join(f"{number}\n" for number in numbers))


def runnable_program(seed: int) -> Runnable:
    chance = random.Random(seed)
    parts, [program] = drawn(chance)
    first = chance.choice(["", "from __future__ import print_function\n\n"])
    text = "\n\n\n".join(
        [f"{first}import tensorflow as tf", *parts, as_main(chance, f"{program.inputs}\n{program.session}")]
    )
    return Runnable(text + "\n", program.lines)


def drawn(chance: random.Random, programs: int = 1) -> Tuple[List[str], List[Program]]:
    """Definitions in their order, and programs that use them."""
    epochs = chance.randint(1, 3)
    source, numbers = chance.choice(_SOURCES)(chance, epochs)
    steps, values = [], [float(number) for number in numbers * epochs]
    for _ in range(chance.randint(0, 3)):
        code, step = chance.choice(_STEPS)(chance)
        steps.append(code)
        values = list(map(step, values))
    size, is_smaller = chance.randint(1, 5), chance.random() < 0.5
    smaller = ", allow_smaller_final_batch=True" if is_smaller else ""
    capacity = chance.choice(["", ", capacity=20", ", num_threads=1, capacity=64"])
    pair = chance.random() < 0.4
    batch = f"tf.train.batch([{'x, x * 2.0' if pair else 'x'}], {size}{capacity}{smaller})"
    gives = chance.choice([f"return {batch}", f"batch = {batch}\nreturn batch"])
    batches = [values[begin : begin + size] for begin in range(0, len(values), size)]
    batches = [one for one in batches if is_smaller or len(one) == size]
    found = chance.choice(INPUTS)(chance, "\n".join([source, *steps, gives]))
    parts = [
        "FILES = ['a.txt', 'b.txt', 'c.txt']\nROWS = [2.0, 7.0, 1.0, 8.0]",
        "def tidy(x):\n    return tf.maximum(x, 2.0)",
        *found.parts,
    ]
    made = []
    for _ in range(programs):
        loop = chance.choice(LOOPS)(chance, batches, pair)
        names = "x, twice" if pair else "x"
        line = f"{names} = {found.code}"
        line = f"{found.within}\n{indented(line)}" if found.within else line
        session = chance.choice(list(SESSIONS.values()))
        parts += [one for one in loop.parts if one not in parts]
        before, after = [found.before, line], [loop.model, _with_loop(session, loop.code)]
        made.append(Program("\n".join(filter(None, before)), names, "\n".join(filter(None, after)), loop.lines))
    return parts, made


def as_main(chance: random.Random, statements: str) -> str:
    """*statements* as those that a file runs when it is started."""
    form = chance.choice(["function", "guarded", "module"])
    if form == "function":
        return f"def main(_):\n{indented(statements)}\n\n\nif __name__ == '__main__':\n    tf.app.run()"
    return statements if form == "module" else f"if __name__ == '__main__':\n{indented(statements)}"


def _with_loop(session: str, loop: str) -> str:
    above = session[: session.index("LOOP")].splitlines()[-1]
    depth = (len(above) - len(above.lstrip())) // 4 + above.endswith(":")
    owner = next((name for name in ("coord", "sv") if f"{name} = " in session), "")
    condition = (
        f"not {owner}.should_stop()" if owner else "not sess.should_stop()" if "Monitored" in session else "True"
    )
    return session.replace("LOOP", indented(loop.replace("not coord.should_stop()", condition), depth))


def _lines_of_files(chance: random.Random, epochs: int) -> Tuple[str, List[int]]:
    names = chance.sample(sorted(FILES), chance.randint(1, 3))
    files = "FILES" if len(names) == 3 else repr(names)
    names = sorted(FILES) if len(names) == 3 else names
    read = chance.choice(
        ["reader = tf.TextLineReader()\n_, line = reader.read(queue)", "_, line = tf.TextLineReader().read(queue)"]
    )
    code = f"queue = tf.train.string_input_producer({files}, num_epochs={epochs}, shuffle=False)\n{read}\n"
    return code + "x = tf.string_to_number(line)", [number for name in names for number in FILES[name]]


def _range(chance: random.Random, epochs: int) -> Tuple[str, List[int]]:
    limit = chance.randint(1, 12)
    code = f"number = tf.train.range_input_producer({limit}, num_epochs={epochs}, shuffle=False).dequeue()"
    return f"{code}\nx = tf.cast(number, tf.float32)", list(range(limit))


def _rows(chance: random.Random, epochs: int) -> Tuple[str, List[int]]:
    code = f"tf.train.slice_input_producer([ROWS], num_epochs={epochs}, shuffle=False)"
    return chance.choice([f"[x] = {code}", f"x = {code}[0]"]), [2, 7, 1, 8]


_SOURCES: List[Callable[[random.Random, int], Tuple[str, List[int]]]] = [
    _lines_of_files,
    _lines_of_files,
    _range,
    _rows,
]

Step = Tuple[str, Callable[[float], float]]


def _scaled(chance: random.Random) -> Step:
    factor = chance.choice([0.5, 2.0, -1.0])
    return f"x = x * {factor}", lambda value: value * factor


def _moved(chance: random.Random) -> Step:
    by = float(chance.randint(-3, 3))
    return chance.choice([f"x = x + {by}", f"x += {by}", f"x = tf.add(x, {by})"]), lambda value: value + by


def _at_least_two(chance: random.Random) -> Step:
    return "x = tidy(x)", lambda value: max(value, 2.0)


def _chosen(chance: random.Random) -> Step:
    bound = float(chance.randint(0, 9))
    return f"x = tf.where(x > {bound}, x - 1.0, x * 4.0)", lambda value: value - 1 if value > bound else value * 4


def _in_python(chance: random.Random) -> Step:
    return "x = tf.py_func(lambda v: v, [x], tf.float32)\nx.set_shape([])", lambda value: value


_STEPS: List[Callable[[random.Random], Step]] = [_scaled, _moved, _at_least_two, _chosen, _scaled, _moved, _in_python]
