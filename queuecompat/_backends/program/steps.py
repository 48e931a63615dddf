"""Plan -> Python source: the tf.data program that a plan stands for, for users to read, keep and change.

Rule 1: the program needs only TensorFlow and NumPy.
Rule 2: an element with one component is that component; one with several is a flat tuple.
Rule 3: each kind of step has one function in ``_STEPS``. A step that cannot be written raises QC505.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Sequence, Set, Tuple, Type

import tensorflow as tf

from queuecompat._backends import text
from queuecompat._backends.program.helpers import HELPERS
from queuecompat._backends.program.ops import Writer
from queuecompat._backends.program.python import Names, folded
from queuecompat._plan import ir
from queuecompat._plan.bodies import Body
from queuecompat.errors import QueueCompatValueError, error

__all__ = ["LAYOUTS", "Source", "source_of"]


@dataclasses.dataclass(frozen=True)
class Source:
    """A program.

    Attributes:
      code: its text, which defines the function ``dataset``.
      arguments: the arguments of ``dataset``: from their names to the tensors of the graph that they stand for.
    """

    code: str
    arguments: Dict[str, Any]


def source_of(plan: ir.Plan, shared: Sequence[Tuple[str, ir.Plan]] = (), structure: Any = None) -> Source:
    """The program of *plan*, on which the passes have run.

    Args:
      shared: the streams that plans draw from with ``Pull``, by name, upstream ones first.
      structure: the structure of the elements, with specs as leaves; None: flat.
    Raises:
      QueueCompatValueError: QC505, something in the plan cannot be written.
    """
    program = _Program()
    for name, stream in shared:
        program.streams[name] = f"stream_{len(program.streams) + 1}"
        program.line(f"# '{name}', which several consumers share: each element goes to one of them")
        elements = program.written(stream, program.streams[name])
        program.line(f"{program.streams[name]} = iter(without_tfdata_optimizer({elements}))")
        program.needs.add("drawn_from")
    last = program.written(plan, "elements")
    if structure is not None and not _is_flat(structure):
        last = f"{last}.map({_packing(structure)})"
    program.line(f"return without_tfdata_optimizer({last})")
    return Source(program.code(plan), program.writer.arguments)


class _Program:
    """The lines of the function ``dataset``, and what has to be above them."""

    def __init__(self) -> None:
        self.writer = Writer(Names(HELPERS))
        self.streams: Dict[str, str] = {}
        self.needs: Set[str] = {"without_tfdata_optimizer"}
        self._functions: List[str] = []
        self._lines: List[str] = []

    def line(self, line: str) -> None:
        self._lines.append(line)

    def written(self, plan: ir.Plan, name: str) -> str:
        """Writes the steps of *plan*, each of which assigns to the variable *name*; returns *name*."""
        before: ir.Components = ()
        for step in plan.steps:
            if not isinstance(step, ir.Count):
                self.line(f"# {' '.join(text.describe(step).split())}")
                _STEPS[type(step)](self, step, name, before)
            before = step.components
        return name

    def function(self, wanted: str, body: Body, parameters: Sequence[str]) -> str:
        """Writes *body* as a function inside ``dataset``, whose arguments it can use; returns the function's name."""
        name = self.writer.names.new(wanted)
        self._functions += [*body.written(name, parameters, self.writer), ""]
        return name

    def code(self, plan: ir.Plan) -> str:
        arguments = list(self.writer.arguments.items())
        summary = f'"""Elements of {text.specs(plan.components)}.'
        described = [f"{name}: {_kind(tensor)} '{tensor.op.name}'" for name, tensor in arguments]
        docstring = (
            [summary, "", "Args:", *(f"  {line}" for line in described), "", *_OF_ARGUMENTS, '"""']
            if described
            else [summary + '"""']
        )
        files = [f"{name} = {found}" for found, name in self.writer.files.items()]
        inside = [*docstring, *files, *([""] if files else []), *self._functions, *self._lines]
        helpers = [
            line
            for name, lines in HELPERS.items()
            if name in self.needs or name in self.writer.helpers
            for line in ["", *lines.strip().split("\n"), ""]
        ]
        functions = [
            *self.writer.top,
            *helpers,
            "",
            f"def dataset({', '.join(name for name, _ in arguments)}):",
            *(f"    {line}" for line in inside),
            "",
        ]
        code = [
            f'"""The tf.data program of what was built at {plan.made_at}."""',
            "",
            *(["import sys", ""] if any("sys." in line for line in functions) else []),
            *(["import numpy as np"] if any("np." in line for line in functions) else []),
            "import tensorflow as tf",
            "",
            *functions,
        ]
        return "\n".join(line.rstrip() for long in code for line in folded(long))


# Part of the docstring of ``dataset``, if it takes arguments.
_OF_ARGUMENTS = (
    "The object that `explain(..., code=True)` returned has them in `.arguments`; its `.build()` passes them. An array",
    "or a constant may be saved and passed in a different process; a handle belongs to the process that it comes from.",
)


def _kind(tensor: Any) -> str:
    kinds = {"Const": "the constant", "ImmutableConst": "the array", "VarHandleOp": "the handle of the variable"}
    return kinds.get(tensor.op.type, "the handle of the table")


Written = Callable[[_Program, Any, str, ir.Components], None]


def _produce(program: _Program, step: ir.Produce, name: str, before: ir.Components) -> None:
    if step.blocks is not None or step.part is not None:
        what = (
            "one of the options shuffle='global', shard, random='by_index' and checkpoint=True reads records by their "
            "places in an index, which only queuecompat has; build the dataset without it"
        )
        raise error(QueueCompatValueError, "QC505", what=what)
    if step.numbered:
        what = "with random='by_index' its random ops take a number that each row has"
        raise error(QueueCompatValueError, "QC505", what=what)
    rows = program.function("rows", step.body, [])
    epochs = "sys.maxsize" if step.num_epochs is None else str(step.num_epochs)
    given = f"{rows}()"
    if step.seeds is not None and step.is_seeded:
        given = f"tf.raw_ops.RandomShuffle(value={given}, seed={step.seeds[0] or 0}, seed2={step.seeds[1] or 0})"
    elif step.seeds is not None:
        given = f"tf.random.shuffle({given})"
    numbers = f"tf.data.Dataset.range({epochs})"
    if step.body.may_end:
        program.needs.add("until_the_end")
        epochs = f"until_the_end({numbers}, lambda epoch: {given})"
    else:
        epochs = f"{numbers}.map(lambda epoch: {given})"
    program.line(f"{name} = {epochs}{'' if step.is_whole else '.unbatch()'}")


def _endless(program: _Program, step: ir.Endless, name: str, before: ir.Components) -> None:
    program.line(f"{name} = tf.data.Dataset.range(sys.maxsize)")


def _distribute(program: _Program, step: ir.Distribute, name: str, given: ir.Components) -> None:
    raise error(QueueCompatValueError, "QC505", what=f"the workers of the service at {step.service} compute it")


def _pull(program: _Program, step: ir.Pull, name: str, before: ir.Components) -> None:
    if step.stream not in program.streams:
        raise _only_in_a_session(step)
    program.line(f"{name} = drawn_from({program.streams[step.stream]})")


def _only_in_a_session(draw: ir.Pull) -> Exception:
    return error(QueueCompatValueError, "QC505", what=f"'{draw.stage}' is drawn from something that only a session has")


def _zip(program: _Program, step: ir.Zip, name: str, before: ir.Components) -> None:
    branches = [program.written(branch, f"{name}_{number}") for number, branch in enumerate(step.branches, 1)]
    program.line(f"{name} = tf.data.Dataset.zip(({', '.join(branches)}))")
    letters = [f"part_{number}" for number in range(1, len(branches) + 1)]
    if any(len(branch.components) > 1 for branch in step.branches):
        flat = [
            f"*{letter}" if len(branch.components) > 1 else letter for letter, branch in zip(letters, step.branches)
        ]
        program.line(f"{name} = {name}.map(lambda {', '.join(letters)}: ({', '.join(flat)}))")


def _merge(program: _Program, step: ir.Merge, name: str, before: ir.Components) -> None:
    branches = [program.written(branch, f"{name}_{number}") for number, branch in enumerate(step.branches, 1)]
    program.line(f"turns = tf.data.Dataset.range({len(branches)}).repeat()")
    program.line(
        f"{name} = tf.data.Dataset.choose_from_datasets([{', '.join(branches)}], turns, stop_on_empty_dataset=False)"
    )


def _read(program: _Program, step: ir.Read, name: str, before: ir.Components) -> None:
    records, key = LAYOUTS[step.layout.name](program, step.layout)
    if step.with_key:
        helper, _, first = key.partition(", ")
        program.needs.add(helper)
        records = f"{helper}(file, {records}{f', {first}' if first else ''})"
    if step.up_to is not None:
        records += f".batch({step.up_to})"
    program.line(f"{name} = {name}.flat_map(lambda file: {records})")


def _tf_record(program: _Program, layout: ir.FileLayout) -> Tuple[str, str]:
    return f"tf.data.TFRecordDataset(file, {layout.compression!r})", "record_keys"


def _text_line(program: _Program, layout: ir.FileLayout) -> Tuple[str, str]:
    skips = f".skip({layout.skip_header_lines})" if layout.skip_header_lines else ""
    return f"tf.data.TextLineDataset(file){skips}", f"numbered_keys, first={layout.skip_header_lines + 1}"


def _fixed_length(program: _Program, layout: ir.FileLayout) -> Tuple[str, str]:
    key = "numbered_keys, first=0"
    hop = layout.hop_bytes or layout.record_bytes
    sizes = f"{layout.record_bytes}, {layout.header_bytes}, {layout.footer_bytes}"
    if hop == layout.record_bytes and not layout.compression:
        return f"tf.data.FixedLengthRecordDataset(file, {sizes})", key
    program.needs.add("fixed_length_records")
    return f"fixed_length_records(file, {sizes}, {hop}, {layout.compression!r})", key


# From the name of a layout to a function that writes the records of a file, and names the helper that adds their keys.
LAYOUTS: Dict[str, Callable[[_Program, ir.FileLayout], Tuple[str, str]]] = {
    "FixedLengthRecord": _fixed_length,
    "TFRecord": _tf_record,
    "TextLine": _text_line,
}


def _run(program: _Program, step: ir.Run, name: str, before: ir.Components) -> None:
    for draw in step.draws:
        raise _only_in_a_session(draw)
    parameters = [f"part_{number}" for number in range(1, len(step.uses) + 1)]
    function = program.function("batch_step" if step.batched else "step", step.body, parameters)
    call = function
    if list(step.uses) != list(range(len(before))):
        given = [f"part_{number}" for number in range(1, len(before) + 1)]
        call = f"lambda {', '.join(given)}: {function}({', '.join(given[use] for use in step.uses)})"
    parallel = f", num_parallel_calls={step.parallel_calls}" if step.parallel_calls > 1 else ""
    order = ", deterministic=False" if parallel and not step.ordered else ""
    if step.body.may_end:
        program.needs.add("until_the_end")
        program.line(f"{name} = until_the_end({name}, {call})")
    else:
        program.line(f"{name} = {name}.map({call}{parallel}{order})")
    if step.skip is not None:
        program.line("# (an error drops the whole element, and is not listed)")
        program.line(f"{name} = {name}.apply(tf.data.experimental.ignore_errors())")


def _filter(program: _Program, step: ir.Filter, name: str, before: ir.Components) -> None:
    kept = "parts[0]" if len(step.components) == 1 else "parts[:-1]"
    program.line(f"{name} = {name}.filter(lambda *parts: parts[-1])")
    program.line(f"{name} = {name}.map(lambda *parts: {kept})")


def _cache(program: _Program, step: ir.Cache, name: str, before: ir.Components) -> None:
    if step.beside:
        what = "queuecompat manages its cache; build the dataset without the option cache"
        raise error(QueueCompatValueError, "QC505", what=what)
    for one in step.inner:
        _STEPS[type(one)](program, one, name, before)
        before = one.components
    if step.makes_batches:
        program.line(f"{name} = {name}.unbatch()")
    program.line("# (queuecompat caches the elements here, file by file; .cache() would also fix their order)")


def _unbatch(program: _Program, step: ir.Unbatch, name: str, before: ir.Components) -> None:
    if not step.may_be_empty:
        program.line(f"{name} = {name}.unbatch()")
        return
    rows = "rows" if len(before) == 1 else "*rows"
    program.line(f"{name} = {name}.flat_map(lambda {rows}: tf.data.Dataset.from_tensor_slices(rows))")


def _shuffle(program: _Program, step: ir.Shuffle, name: str, before: ir.Components) -> None:
    seed = "" if step.seed is None else f", seed={step.seed}"
    if step.growth is not None:
        program.line("# (the first element comes when this buffer is full; with a smaller one it comes earlier)")
    program.line(f"{name} = {name}.shuffle({step.buffer}{seed})")


def _batch(program: _Program, step: ir.Batch, name: str, before: ir.Components) -> None:
    batching = _batching(step, str(step.size), step.components)
    program.line(f"{name} = {name}{batching.replace('.batch(', '.rebatch(') if step.refills else batching}")


def _batching(step: Any, size: str, components: ir.Components) -> str:
    rest = f", drop_remainder={step.drop_remainder}" if step.drop_remainder else ""
    if not step.padded:
        return f".batch({size}{rest})"
    if any(spec.dtype == tf.variant for spec in components):
        raise error(QueueCompatValueError, "QC505", what="SparseTensors beside padded components have no tf.data call")
    shapes = ", ".join(repr(spec.shape.as_list()[1:]) for spec in components)
    return f".padded_batch({size}, padded_shapes={shapes if len(components) == 1 else f'({shapes})'}{rest})"


def _bucket(program: _Program, step: ir.Bucket, name: str, before: ir.Components) -> None:
    number, *stacked = step.components
    program.needs.add("bucketed")
    components = (*stacked, tf.TensorSpec([None], number.dtype))
    batch = _batching(step, "size" if len(set(step.sizes)) > 1 else str(step.sizes[0]), components)
    program.line(f"{name} = bucketed({name}, {list(step.sizes)}, lambda window, size: window{batch})")


def _prefetch(program: _Program, step: ir.Prefetch, name: str, before: ir.Components) -> None:
    program.line(f"{name} = {name}.prefetch({step.count})")


_STEPS: Dict[Type[ir.Step], Written] = {
    ir.Batch: _batch,
    ir.Bucket: _bucket,
    ir.Cache: _cache,
    ir.Distribute: _distribute,
    ir.Endless: _endless,
    ir.Filter: _filter,
    ir.Merge: _merge,
    ir.Prefetch: _prefetch,
    ir.Produce: _produce,
    ir.Pull: _pull,
    ir.Read: _read,
    ir.Run: _run,
    ir.Shuffle: _shuffle,
    ir.Unbatch: _unbatch,
    ir.Zip: _zip,
}


def _is_flat(structure: Any) -> bool:
    """Whether *structure* is a single tensor or a flat tuple of several, so that no packing is needed."""
    parts = structure if isinstance(structure, tuple) and not hasattr(structure, "_fields") else (structure,)
    is_single = isinstance(structure, tuple) and len(structure) == 1
    return not is_single and all(isinstance(part, tf.TensorSpec) for part in parts)


def _packing(structure: Any) -> str:
    """A lambda that packs the flat components into *structure*."""
    count = sum(spec is not None for spec in tf.nest.flatten(structure, expand_composites=True))
    names = [f"part_{number}" for number in range(1, count + 1)]
    waiting = list(names)
    # In the order of tf.nest.flatten, which sorts the keys of dicts.
    leaves = [_composed(spec, waiting) for spec in tf.nest.flatten(structure)]
    packed = tf.nest.pack_sequence_as(structure, leaves)
    return f"lambda {', '.join(names)}: {_structured(packed)}"


def _composed(spec: Any, waiting: List[str]) -> str:
    if spec is None:
        return "None"
    parts = [waiting.pop(0) for _ in tf.nest.flatten(spec, expand_composites=True)]
    if isinstance(spec, tf.SparseTensorSpec):
        return f"tf.SparseTensor({', '.join(parts)})"
    if isinstance(spec, tf.RaggedTensorSpec):
        return f"tf.RaggedTensor.from_nested_row_splits({parts[0]}, [{', '.join(parts[1:])}])"
    return parts[0]


def _structured(packed: Any) -> str:
    if isinstance(packed, dict):
        return "{" + ", ".join(f"{key!r}: {_structured(item)}" for key, item in packed.items()) + "}"
    if isinstance(packed, (tuple, list)):
        items = ", ".join(_structured(item) for item in packed)
        return f"({items},)" if len(packed) == 1 else f"({items})"
    return packed
