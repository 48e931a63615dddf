"""Names that Python, NumPy and SciPy have removed are there again, and mean what they meant in Python 3.7."""

from __future__ import annotations

import importlib
import pathlib
import pkgutil

import numpy as np
import pytest

from queuecompat.reference.older_names import BY_HAND, OF_ARRAYS, OLDER
from tests.forking import Server

# Expressions, and what they were, as text.
MEANINGS = {
    "np.float, np.int, np.object, np.str, np.unicode": str((float, int, object, str, str)),
    "np.NINF, np.Inf == np.inf, np.NaN != np.NaN": "(-inf, True, True)",
    "np.zeros([2], np.uint8).tostring(), np.uint8(7).tostring()": r"(b'\x00\x00', b'\x07')",
    "np.asarray([[1, 2]], np.uint8).T.tostring('F')": r"b'\x01\x02'",
    "np.asscalar(np.array([3])), np.asscalar(np.int64(4))": "(3, 4)",
    "np.in1d([[1, 2], [3, 1]], [1]).tolist()": "[True, False, False, True]",
    "np.rank([[1]]), int(np.product([2, 3])), np.cumproduct([2, 3]).tolist()": "(2, 6, [2, 6])",
    "bool(np.alltrue([True, False])), bool(np.sometrue([True, False]))": "(False, True)",
    "np.zeros([1], np.bool).dtype, int(np.long(3)), np.Infinity, np.bool8 is np.bool_": "(dtype('bool'), 3, inf, True)",
    "np.mat('1 2').tolist(), np.cast['float32'](3).dtype, np.alen([1, 2])": "([[1, 2]], dtype('float32'), 2)",
    "np.asfarray([1]).dtype, np.asfarray([1], np.float32).dtype": "(dtype('float64'), dtype('float32'))",
    "np.asfarray([1], np.int32).dtype, np.singlecomplex is np.complex64": "(dtype('float64'), True)",
    "np.msort([[2, 1], [1, 3]]).tolist(), np.math.ceil(0.5), np.sys is np.warnings.sys": "([[1, 1], [2, 3]], 1, True)",
    "np.lib.pad([1], 1, 'constant').tolist(), np.linalg.linalg.LinAlgError is np.linalg.LinAlgError": (
        "([0, 1, 0], True)"
    ),
    "float(np.array([1.5, 4]).ptp()), np.array([[1, 4]]).ptp(axis=1).tolist()": "(2.5, [3])",
    "[np.float16 in np.sctypes['float'], np.uint8 in np.sctypes['uint']], np.typeDict['float32'] is np.float32": (
        "([True, True], True)"
    ),
    "changed(np.zeros([2, 2])).tolist()": "[[0.0, 5.0], [6.0, 7.0]]",
    "np.row_stack([[1], [2]]).tolist(), float(np.trapz([1, 3])), float(np.round_(2.5))": "([[1], [2]], 2.0, 2.0)",
    r"np.fromstring(b'\1\2', np.uint8).tolist()": "[1, 2]",
    r"np.fromstring(b'\1\2', dtype=np.uint8, count=1).tolist()": "[1]",
    r"np.fromstring(b'\1\2', np.uint8).flags.writeable, np.fromstring('1 2', sep=' ').tolist()": "(True, [1.0, 2.0])",
    "np.fromstring('1 2', int, -1, ' ').tolist()": "[1, 2]",
    "isinstance({}, collections.Mapping), issubclass(list, collections.Sequence)": "(True, True)",
    "inspect.getargspec(tf.nn.relu).args": "['features', 'name']",
    "tuple(inspect.getargspec(lambda a, b=2, *c, **d: 0))": "(['a', 'b'], 'c', 'd', (2,))",
    "fractions.gcd(12, 8), base64.encodestring(b'x'), base64.decodestring(b'eA==')": r"(4, b'eA==\n', b'x')",
    "0 <= time.clock() <= time.process_time()": "True",
    "ET.fromstring('<a b=\"1\"/>').get('b'), ElementTree is ET": "('1', True)",
}
IMPORTS = """
import base64, collections, fractions, inspect, time
from collections import OrderedDict, Mapping
import xml.etree.cElementTree as ET
from xml.etree import cElementTree as ElementTree
import numpy as np
import tensorflow.compat.v1 as tf

def changed(array):
    array.itemset(1, 5)
    array.itemset((1, 0), 6)
    array.itemset(1, 1, 7)
    return array

"""


def _program(tmp_path: pathlib.Path, before: str = "", imports: str = IMPORTS) -> str:
    lines = "\n".join(f"print(({expression}))" for expression in MEANINGS)
    (tmp_path / "program.py").write_text(f"{before}\n{imports}\n{lines}\n", encoding="utf-8")
    return str(tmp_path / "program.py")


@pytest.mark.parametrize("launcher", [["run"], []])
def test_they_mean_what_they_meant(launcher: list, server: Server, tmp_path: pathlib.Path) -> None:
    # Without ``run``, no import is looked at.
    imports = IMPORTS if launcher else IMPORTS.replace("cElementTree", "ElementTree")
    program = _program(tmp_path, "" if launcher else "import queuecompat.v1 as tf", imports)
    done = server.run([program], str(tmp_path), launcher=launcher)
    assert done.exit_code == 0, done.err
    assert done.out.splitlines() == list(MEANINGS.values())


def test_a_module_that_is_loaded_into_an_eager_program_has_them(server: Server, tmp_path: pathlib.Path) -> None:
    _program(tmp_path)
    done = server.run(["-c", "import queuecompat\nqueuecompat.load('program.py')"], str(tmp_path))
    assert done.exit_code == 0, done.err
    assert done.out.splitlines() == list(MEANINGS.values())


def test_what_is_there_stays_and_a_module_of_the_users_gets_nothing(server: Server, tmp_path: pathlib.Path) -> None:
    (tmp_path / "fractions.py").write_text("", encoding="utf-8")
    (tmp_path / "program.py").write_text(
        "import numpy as np\nbefore = np.float32, np.sum, np.bool_, np.ndarray.tobytes\nimport tensorflow as tf\n"
        "import sys; sys.modules.pop('fractions', None)\nimport fractions\n"
        "print(before == (np.float32, np.sum, np.bool_, np.ndarray.tobytes), hasattr(fractions, 'gcd'))\n",
        encoding="utf-8",
    )
    done = server.run([str(tmp_path / "program.py")], str(tmp_path), launcher=["run"])
    assert done.out == "True False\n", done.err


def test_functions_of_python_3_are_refused_as_they_were(server: Server, tmp_path: pathlib.Path) -> None:
    code = "import inspect\ninspect.getargspec(lambda *, a: 0)"
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.exit_code == 1 and "ValueError: " in done.err and "keyword-only" in done.err


@pytest.mark.filterwarnings("ignore:scipy.misc is deprecated:DeprecationWarning")
@pytest.mark.parametrize("module", OLDER)
def test_what_is_used_instead_is_there_everywhere(module: str) -> None:
    there = vars(importlib.import_module(module))
    for name, now in OLDER[module].items():
        is_code = "." in now and f"{module}.{name}" not in BY_HAND
        assert name in there or not is_code or pkgutil.resolve_name(now.lstrip("-")) is not None
    assert all(hasattr(np.ndarray, now) for now in OF_ARRAYS.values() if now.isidentifier())
