"""One table of facts about ops: effects, randomness, and whether a whole batch has the bits of its rows.

Rule 1: about to name op types in a condition elsewhere? Add a row or a column here instead.
Rule 2: an op that is not in the table has unknown facts, and is treated as if the worst held.
Rule 3: *same_bits* was measured on TensorFlow 2.21 and is measured again by ``tests/pipelines/test_op_facts.py``:
        whole batches against their rows one by one, for row sizes around the width of a vector register. Where
        vectorised and scalar code round differently (``Exp`` and its like), the bits of a row depend on what stands
        beside it.

What it leaves out: what depends on an op's attributes or inputs; *rule* names the check that the compiler makes.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterable, Optional

__all__ = [
    "COUNTS",
    "DRAWS",
    "FACTS",
    "PYTHON",
    "PYTHON_NAMES",
    "READS",
    "STATELESS_PYTHON",
    "WRITING_WORDS",
    "OpFacts",
    "draws_anew",
    "has_same_bits",
]  # fmt: skip

# Values of ``OpFacts.effect``.
READS = "reads"
PYTHON = "python"


@dataclasses.dataclass(frozen=True)
class OpFacts:
    """What is known of one op type.

    Attributes:
      effect: "" none; READS: stateful for TensorFlow, but it only looks at something kept elsewhere; PYTHON: it runs
        a Python function.
      same_bits: on a batch it outputs, row by row, the bits that it outputs for each row; None: unknown.
      rule: which check of the compiler says when it may run on batches: "always", "broadcast", "cast", "gather"; "":
        the compiler runs it on each element.
    """

    effect: str = ""
    same_bits: Optional[bool] = None
    rule: str = ""


def _rows(names: Iterable[str], facts: OpFacts) -> Dict[str, OpFacts]:
    return dict.fromkeys(names, facts)


# A function that says of itself that it has no state; not that several threads may call it at once.
STATELESS_PYTHON = "PyFuncStateless"

FACTS: Dict[str, OpFacts] = {
    # Lookups and looks at what is kept elsewhere.
    **_rows(
        (
            "Assert", "CheckNumerics", "HashTable", "HashTableV2", "LookupTableFind", "LookupTableFindV2",
            "LookupTableSize", "LookupTableSizeV2", "MatchingFiles", "MutableHashTableV2", "PlaceholderWithDefault",
            "ReadFile", "ReadVariableOp", "ResourceGatherNd", "VarHandleOp", "VarIsInitializedOp", "Variable",
            "VariableV2",
        ),
        OpFacts(READS),
    ),
    "ResourceGather": OpFacts(READS, same_bits=True, rule="gather"),
    "GatherV2": OpFacts(same_bits=True, rule="gather"),
    # Python functions.
    **_rows(("EagerPyFunc", "PyFunc", STATELESS_PYTHON), OpFacts(PYTHON)),
    # IEEE 754 rounds these in one way.
    "Cast": OpFacts(same_bits=True, rule="cast"),
    **_rows(("Abs", "Identity", "LogicalNot", "Neg", "Square"), OpFacts(same_bits=True, rule="always")),
    **_rows(
        ("Add", "AddV2", "Maximum", "Minimum", "Mul", "RealDiv", "Sub"), OpFacts(same_bits=True, rule="broadcast")
    ),
    **_rows(("Erf", "FloorDiv", "FloorMod", "Lgamma", "Sqrt"), OpFacts(same_bits=True)),
    # Each record is decoded by itself.
    **_rows(("DecodeCSV", "DecodeRaw", "ParseExampleV2", "StringToNumber"), OpFacts(same_bits=True)),
    # Their last bit depends on where in a vector register a value stands.
    **_rows(
        (
            "Cos", "Elu", "Exp", "Expm1", "Log", "Log1p", "Pow", "Reciprocal", "Rsqrt", "Sigmoid", "Sin", "Softplus",
            "Tanh",  # of float64; float32 has the same bits
        ),
        OpFacts(same_bits=False),
    ),
    # Sums of products in another order.
    **_rows(("MatMul", "Softmax"), OpFacts(same_bits=False)),
}  # fmt: skip

# Op types that begin so end the data by a count of their own runs.
COUNTS = ("CountUpTo", "IteratorGetNext", "ResourceCountUpTo", "QueueDequeue", "ReaderRead")
# Words in the names of op types that change something. In a function's body only the name is known.
WRITING_WORDS = ("Assign", "Print", "QueueEnqueue", "Write", "Save", "ResourceScatter")

# Names of TensorFlow 1's Python functions, and of operators, by the op type that each builds.
PYTHON_NAMES: Dict[str, str] = {
    "tf.abs": "Abs",
    "tf.add": "AddV2",
    "tf.cast": "Cast",
    "tf.cos": "Cos",
    "tf.decode_csv": "DecodeCSV",
    "tf.decode_raw": "DecodeRaw",
    "tf.div": "RealDiv",
    "tf.divide": "RealDiv",
    "tf.erf": "Erf",
    "tf.exp": "Exp",
    "tf.expm1": "Expm1",
    "tf.floordiv": "FloorDiv",
    "tf.floormod": "FloorMod",
    "tf.gather": "GatherV2",
    "tf.identity": "Identity",
    "tf.io.decode_csv": "DecodeCSV",
    "tf.io.decode_raw": "DecodeRaw",
    "tf.io.parse_example": "ParseExampleV2",
    "tf.lgamma": "Lgamma",
    "tf.log": "Log",
    "tf.log1p": "Log1p",
    "tf.matmul": "MatMul",
    "tf.maximum": "Maximum",
    "tf.minimum": "Minimum",
    "tf.multiply": "Mul",
    "tf.negative": "Neg",
    "tf.nn.elu": "Elu",
    "tf.nn.sigmoid": "Sigmoid",
    "tf.nn.softmax": "Softmax",
    "tf.nn.softplus": "Softplus",
    "tf.nn.tanh": "Tanh",
    "tf.parse_example": "ParseExampleV2",
    "tf.pow": "Pow",
    "tf.reciprocal": "Reciprocal",
    "tf.rsqrt": "Rsqrt",
    "tf.sigmoid": "Sigmoid",
    "tf.sin": "Sin",
    "tf.sqrt": "Sqrt",
    "tf.square": "Square",
    "tf.string_to_number": "StringToNumber",
    "tf.strings.to_number": "StringToNumber",
    "tf.subtract": "Sub",
    "tf.tanh": "Tanh",
    "tf.to_double": "Cast",
    "tf.to_float": "Cast",
    "tf.to_int32": "Cast",
    "tf.to_int64": "Cast",
}

# Names of Python functions that begin so output something different for each record, where they stood in a graph.
DRAWS = (
    "tf.image.random_", "tf.image.sample_", "tf.multinomial", "tf.nn.dropout", "tf.numpy_function", "tf.py_func",
    "tf.random", "tf.timestamp", "tf.truncated_normal",
)  # fmt: skip


def has_same_bits(name: str) -> bool:
    """Whether *name*, an op type or a Python function, is known to output the same bits for a row of a batch."""
    for known in (name, name.replace("tf.math.", "tf.")):
        facts = FACTS.get(PYTHON_NAMES.get(known, known))
        if facts is not None and facts.same_bits:
            return True
    return False


def draws_anew(symbol: str) -> bool:
    """Whether the function *symbol* of TensorFlow outputs something different for each record."""
    return symbol.startswith(DRAWS)
