"""The table of facts about ops: effects, randomness, and whether a whole batch can be computed with the same bits.

Rule 1: About to name op types in a condition elsewhere? Add a row or a column here instead.
Rule 2: For an op that is not in the table, the worst is assumed.
Rule 3: *same_bits* was measured on TensorFlow 2.12 and 2.21, and is measured again by ``tests/batched/test_rules.py``
        and ``tests/pipelines/test_op_facts.py``: they compare whole batches with their rows one by one, for row sizes
        around the width of a vector register. Where vectorised and scalar code round differently (``Exp``, for
        example), the bits of a row depend on the rows next to it in the batch.

Anything that depends on an op's attributes or inputs is not in the table; the rule that *rule* names looks at these.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, Iterable, Optional

__all__ = [
    "COUNTS",
    "FACTS",
    "PYTHON",
    "PYTHON_NAMES",
    "READS",
    "REFERENCE",
    "STATELESS_PYTHON",
    "WRITING_WORDS",
    "OpFacts",
    "has_same_bits",
    "is_computed",
    "varies_per_record",
]  # fmt: skip

# Values of ``OpFacts.effect``.
READS = "reads"
PYTHON = "python"


@dataclasses.dataclass(frozen=True)
class OpFacts:
    """Facts about one op type.

    Attributes:
      effect: "": none. READS: TensorFlow calls the op stateful, but it only reads a state that is kept elsewhere.
        PYTHON: it runs a Python function.
      same_bits: whether each row of its output for a batch has the same bits as its output for that row alone. For a
        batch, the op is replaced by the form that *rule* makes, if there is one. None: unknown.
      rule: the name of the rule in ``batched.rules`` that makes its form for a whole batch; "": it runs on each
        element.
      at_any_size: whether one run on a batch of large elements is never slower than a run for each element, since the
        op looks at each number once.
      each_number: whether it computes each number only from the numbers at the same place of its inputs, with the same
        bits whatever the other numbers are.
    """

    effect: str = ""
    same_bits: Optional[bool] = None
    rule: str = ""
    at_any_size: bool = False
    each_number: bool = False


def _rows(names: Iterable[str], facts: OpFacts) -> Dict[str, OpFacts]:
    return dict.fromkeys(names, facts)


# A Python function that is declared stateless; that does not mean that it is thread-safe.
STATELESS_PYTHON = "PyFuncStateless"

FACTS: Dict[str, OpFacts] = {
    # They read a state that is kept elsewhere.
    **_rows(
        (
            "Assert", "CheckNumerics", "HashTable", "HashTableV2", "LookupTableFind", "LookupTableSize",
            "LookupTableSizeV2", "MatchingFiles", "MutableHashTableV2", "PlaceholderWithDefault", "ReadFile",
            "ReadVariableOp", "ResourceGatherNd", "VarHandleOp", "VarIsInitializedOp", "Variable", "VariableV2",
        ),
        OpFacts(READS),
    ),
    "LookupTableFindV2": OpFacts(READS, same_bits=True, rule="look_up"),
    "ResourceGather": OpFacts(READS, same_bits=True, rule="look_up", at_any_size=True),
    "GatherV2": OpFacts(same_bits=True, rule="gather", at_any_size=True),
    # Python functions.
    **_rows(("EagerPyFunc", "PyFunc", STATELESS_PYTHON), OpFacts(PYTHON)),
    # Elementwise; IEEE 754 allows only one rounding of each result.
    "Cast": OpFacts(same_bits=True, rule="cast", at_any_size=True, each_number=True),
    **_rows(
        ("Identity", "PreventGradient", "Snapshot", "StopGradient"),
        OpFacts(same_bits=True, rule="unchanged", at_any_size=True, each_number=True),
    ),
    **_rows(
        ("Abs", "LogicalNot", "Neg", "Square"),
        OpFacts(same_bits=True, rule="unary", at_any_size=True, each_number=True),
    ),
    **_rows(
        (
            "Ceil", "Erf", "Floor", "Invert", "IsFinite", "IsInf", "IsNan", "Lgamma", "OnesLike", "Relu", "Relu6",
            "Rint", "Round", "Sign", "Sqrt", "ZerosLike",
        ),
        OpFacts(same_bits=True, rule="unary", each_number=True),
    ),
    **_rows(
        ("Add", "AddV2", "Maximum", "Minimum", "Mul", "RealDiv", "Sub"),
        OpFacts(same_bits=True, rule="broadcast", at_any_size=True, each_number=True),
    ),
    **_rows(
        (
            "BitwiseAnd", "BitwiseOr", "BitwiseXor", "ClipByValue", "DivNoNan", "Equal", "Greater", "GreaterEqual",
            "Less", "LessEqual", "LogicalAnd", "LogicalOr", "NotEqual", "SelectV2", "SquaredDifference",
        ),
        OpFacts(same_bits=True, rule="broadcast", each_number=True),
    ),
    **_rows(
        ("Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"),
        OpFacts(same_bits=True, rule="divide", each_number=True),
    ),
    "Select": OpFacts(same_bits=True, rule="select"),
    # Elementwise on strings.
    **_rows(
        (
            "AsString", "StaticRegexFullMatch", "StaticRegexReplace", "StringLength", "StringLower", "StringStrip",
            "StringToHashBucket", "StringToHashBucketFast", "StringToHashBucketStrong", "StringUpper",
        ),
        OpFacts(same_bits=True, rule="unary"),
    ),
    "StringToNumber": OpFacts(same_bits=True, rule="to_number"),
    # Each record is decoded independently of the others.
    "DecodeCSV": OpFacts(same_bits=True, rule="decode_csv"),
    "DecodePaddedRaw": OpFacts(same_bits=True, rule="decode_padded_raw"),
    "DecodeRaw": OpFacts(same_bits=True, rule="decode_raw"),
    "ParseExampleV2": OpFacts(same_bits=True, rule="parse_example"),
    "ParseSingleExample": OpFacts(same_bits=True, rule="parse_single_example"),
    # They copy numbers, or look only at shapes.
    **_rows(("Concat", "ConcatV2"), OpFacts(same_bits=True, rule="concat")),
    "EnsureShape": OpFacts(same_bits=True, rule="ensure_shape"),
    "ExpandDims": OpFacts(same_bits=True, rule="expand_dims"),
    "Fill": OpFacts(same_bits=True, rule="fill"),
    "OneHot": OpFacts(same_bits=True, rule="one_hot"),
    "Pack": OpFacts(same_bits=True, rule="pack"),
    **_rows(("MirrorPad", "Pad", "PadV2"), OpFacts(same_bits=True, rule="pad")),
    "Reshape": OpFacts(same_bits=True, rule="reshape"),
    "ReverseV2": OpFacts(same_bits=True, rule="reverse"),
    **_rows(("Rank", "Shape", "Size"), OpFacts(same_bits=True, rule="shape")),
    "Slice": OpFacts(same_bits=True, rule="slice"),
    "Split": OpFacts(same_bits=True, rule="split"),
    "SplitV": OpFacts(same_bits=True, rule="split_sizes"),
    "SparseToDense": OpFacts(same_bits=True, rule="sparse_to_dense"),
    "Squeeze": OpFacts(same_bits=True, rule="squeeze"),
    "StridedSlice": OpFacts(same_bits=True, rule="strided_slice"),
    "Tile": OpFacts(same_bits=True, rule="tile"),
    "Transpose": OpFacts(same_bits=True, rule="transpose"),
    "Unpack": OpFacts(same_bits=True, rule="unpack"),
    # Along the axes of an element, they process its numbers in the same order.
    **_rows(("All", "Any", "Max", "Mean", "Min", "Prod", "Sum"), OpFacts(same_bits=True, rule="reduce")),
    **_rows(("ArgMax", "ArgMin"), OpFacts(same_bits=True, rule="arg_reduce")),
    **_rows(("Cumprod", "Cumsum"), OpFacts(same_bits=True, rule="cumulate")),
    "BiasAddGrad": OpFacts(same_bits=True, rule="add_columns"),
    # Images: these ops take batches of images.
    **_rows(
        ("ResizeArea", "ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor"),
        OpFacts(same_bits=True, rule="resize"),
    ),
    **_rows(("HSVToRGB", "RGBToHSV"), OpFacts(same_bits=True, rule="unary")),
    "AdjustContrastv2": OpFacts(same_bits=True, rule="adjust_contrast"),
    **_rows(("AdjustHue", "AdjustSaturation"), OpFacts(same_bits=True, rule="adjust_colours")),
    # Unseeded draws: made for the whole batch at once, from the same distribution.
    **_rows(
        ("RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal"), OpFacts(rule="draw")
    ),
    # The last bit of a result depends on its position in a vector register.
    **_rows(
        (
            "Cos", "Elu", "Exp", "Expm1", "Log", "Log1p", "Pow", "Reciprocal", "Rsqrt", "Sigmoid", "Sin", "Softplus",
            "Tanh",  # of float64 only; with float32 the bits are the same
        ),
        OpFacts(same_bits=False),
    ),
    # Sums of products, which are added up in a different order.
    **_rows(("MatMul", "Softmax"), OpFacts(same_bits=False)),
}  # fmt: skip

# Prefixes of op types that end the data depending on how often they have run.
COUNTS = ("CountUpTo", "IteratorGetNext", "ResourceCountUpTo", "QueueDequeue", "ReaderRead")
# Words in the names of op types that change a state, for nodes in a function's body: only their type's name is known.
WRITING_WORDS = ("Assign", "Print", "QueueEnqueue", "Write", "Save", "ResourceScatter")

# Prefix of op types that only pass on a reference to a variable: RefSwitch, RefIdentity.
REFERENCE = "Ref"

# The op type that each of TensorFlow 1's Python functions builds.
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

# Prefixes of the names of Python functions whose op, in a graph, returned a different value for each record.
_VARY_PER_RECORD = (
    "tf.image.random_", "tf.image.sample_", "tf.multinomial", "tf.nn.dropout", "tf.numpy_function", "tf.py_func",
    "tf.random", "tf.timestamp", "tf.truncated_normal",
)  # fmt: skip


def is_computed(op_type: str) -> bool:
    """Whether the op always writes its output into new memory, never into that of an input."""
    facts = FACTS.get(op_type)
    return facts is not None and facts.each_number and facts.rule not in ("cast", "unchanged")


def has_same_bits(name: str) -> bool:
    """Whether *name*, an op type or a Python function, is known to produce the same bits for a row of a batch."""
    for known in (name, name.replace("tf.math.", "tf.")):
        facts = FACTS.get(PYTHON_NAMES.get(known, known))
        if facts is not None and facts.same_bits:
            return True
    return False


def varies_per_record(symbol: str) -> bool:
    """Whether the ops of TensorFlow's function *symbol* return a different value for each record."""
    return symbol.startswith(_VARY_PER_RECORD)
