"""Calls that NumPy and Python refuse by now do what they did in 2018, in the user's files and in no others."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from tests.forking import Server

# Expressions, and what NumPy 1.18.5 makes of them in Python 3.7, as text.
MEANINGS = {
    "np.array([[1], [1, 2]]).tolist(), np.array([[1], [1, 2]]).dtype": "([[1], [1, 2]], dtype('O'))",
    "np.asarray([np.zeros(2), np.zeros(3)]).shape, np.array([[1], []], copy=False).shape": "((2,), (2,))",
    "np.array([1, 2], copy=False).tolist(), np.array(row, np.int32, copy=False).dtype": "([1, 2], dtype('int32'))",
    "np.array(row, copy=False) is row": "True",
    "np.array([-1, 300], np.uint8).tolist(), np.asarray([-1], dtype='uint32').tolist()": "([255, 44], [4294967295])",
    "float(np.array([1.5])), int(np.array([[2]])), '%d %.1f' % (np.array([3]), np.array([1.5]))": "(1.5, 2, '3 1.5')",
    "math.floor(np.array([1.5])), first_of(np.zeros([2]), np.array([3.0])).tolist()": "(1, [3.0, 0.0])",
    "np.vstack(map(np.array, [[1], [2]])).tolist(), np.hstack(i for i in ([1], [2])).tolist()": "([[1], [2]], [1, 2])",
    "np.stack(zip([1, 2], [3, 4])).tolist(), np.sum(i for i in range(4))": "([[1, 3], [2, 4]], 6)",
    "np.percentile(row, 50, interpolation='lower'), np.histogram(row, 2, normed=False)[0].tolist()": "(1.0, [1, 2])",
    "int(np.cross([1, 2], [3, 4])), np.cross([[1, 2]], [[3, 5]]).tolist()": "(-2, [-1])",
    "np.issubdtype(np.float32, float), np.issubdtype(np.int8, int)": "(True, True)",
    "np.issubdtype(np.uint8, int), np.issubdtype(np.complex64, complex)": "(False, True)",
    "np.issubdtype(np.float32, np.float64), np.issubdtype(np.float32, np.floating)": "(False, True)",
    "np.unique([[2, 1], [1, 1]], return_inverse=True)[1].tolist()": "[1, 0, 0, 0]",
    "[part.tolist() for part in np.unique([[2], [1]], True, True, True)]": "[[1, 2], [1, 0], [1, 0], [1, 1]]",
    "np.random.RandomState is type(np.random.mtrand._rand), len(np.random.permutation([[1], [1, 2]]))": "(True, 2)",
    "seeded(np.random.choice, [[1], [1, 2], [3]]), seeded(np.random.permutation, [[1], [1, 2], [3]])": (
        "([1, 2], [[1], [3], [1, 2]])"
    ),
    "saved([[1], [1, 2]])": "[[1], [1, 2]]",
    "[callable(pickle.loads(pickle.dumps(f))) for f in (np.array, np.random.choice, random.sample, json.loads)]": (
        "[True, True, True, True]"
    ),
    "json.loads('[1]', encoding='utf-8'), json.load(io.StringIO('2'), encoding='utf-8')": "([1], 2)",
    "seeded(draws, (1, 4.0)), seeded(draws, (np.floor(2.5), 9))": "([2, 1, 3], [4, 3, 6])",
    "sorted(random.sample({1, 2}, 2)), seeded(shuffled, lambda: 0.3)": "([1, 2], [3, 2, 0, 4, 1])",
    "interpolate.interp1d([0.0, 0.0, 1.0], [1.0, 2.0, 3.0], kind='slinear')([0.5, 1.0]).tolist()": "[2.5, 3.0]",
    "[np.float32(0.5), np.int64(2), np.bool_(True), np.str_('a')], (np.mean(row),)": "([0.5, 2, True, 'a'], (1.0,))",
}
# What it refused, as NumPy does now.
REFUSED = {
    "np.array([[1], [1, 2]], np.float32)": "ValueError",
    "float(np.zeros([2]))": "TypeError",
    "int(np.zeros([0]))": "TypeError",
    "np.vstack(5)": "TypeError",
    "np.array(row, dtype='nothing')": "TypeError",
    "np.histogram(row, norm=True)": "TypeError",
    "json.loads('[')": "JSONDecodeError",
    "open('text', 'q')": "ValueError",
    "interpolate.interp1d([0.0, 0.0, 1.0], [1.0, 2.0, 3.0], 'quadratic')": "ValueError",
}
PROGRAM = r"""
import io, json, math, pickle, random
import numpy as np
import tensorflow.compat.v1 as tf
from scipy import interpolate
row = np.arange(3.0)

def first_of(array, value):
    array[0] = value
    return array

def seeded(function, values):
    np.random.seed(1)
    random.seed(1)
    found = function(values)
    return found if isinstance(found, list) else found.tolist()

def saved(values):
    file = io.BytesIO()
    np.save(file, values)
    file.seek(0)
    return np.load(file, allow_pickle=True).tolist()

def draws(limits):
    return [random.randint(*limits) for _ in range(3)]

def shuffled(draw):
    numbers = list(range(5))
    random.shuffle(numbers, draw)
    return numbers

def error_of(expression):
    try:
        return eval(expression)
    except Exception as problem:
        return type(problem).__name__

"""
LIBRARY = """
import numpy as np

def refused(function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except (TypeError, ValueError, OverflowError) as problem:
        return type(problem).__name__
    return "taken"

def answers():
    return [
        refused(np.array, [[1], [1, 2]]),
        refused(np.array, [1], copy=False),
        refused(float, np.zeros([1])),
        refused(np.vstack, map(list, [[1]])),
        np.issubdtype(np.float32, float),
        np.unique([[2, 1]], return_inverse=True)[1].shape,
    ]

print(answers())
"""


def _program(tmp_path: pathlib.Path, before: str = "") -> str:
    lines = "\n".join(f"print(({expression}))" for expression in MEANINGS)
    errors = "\n".join(f"print(error_of({expression!r}))" for expression in REFUSED)
    (tmp_path / "program.py").write_text(f"{before}\n{PROGRAM}\n{lines}\n{errors}\n", encoding="utf-8")
    return str(tmp_path / "program.py")


@pytest.mark.parametrize("launcher", [["run"], []])
def test_calls_that_packages_now_reject_return_what_they_returned(
    launcher: list, server: Server, tmp_path: pathlib.Path
) -> None:
    done = server.run(
        [_program(tmp_path, "" if launcher else "import queuecompat.v1 as tf")], str(tmp_path), launcher=launcher
    )
    assert done.exit_code == 0, done.err
    assert done.out.splitlines() == [*MEANINGS.values(), *REFUSED.values()]


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="NumPy 1 computes as it did")
def test_the_arithmetic_of_numpy_2_stays(server: Server, tmp_path: pathlib.Path) -> None:
    code = (
        "import numpy as np\nimport tensorflow as tf\nprint((np.float32(1) + 0.1).dtype)\n"
        "for f in lambda x: x * -1, lambda x: x[[slice(0, 1)]]:\n"
        "    try:\n        f(np.ones([2], np.uint8))\n"
        "    except Exception as problem:\n        print(type(problem).__name__)\n"
    )
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out.split() == ["float32", "OverflowError", "IndexError"], done.err


def test_an_installed_library_gets_what_numpy_says(server: Server, tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "library_of_today.py").write_text(LIBRARY, encoding="utf-8")
    paths = f"import sys\nsys.path.append({str(folder)!r})\n"
    alone = server.run(["-c", f"{paths}import library_of_today"], str(tmp_path))
    code = f"{paths}import numpy as np\nimport tensorflow as tf\nimport library_of_today"
    under_run = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert under_run.out == alone.out and "ValueError" in alone.out, under_run.err


def test_a_program_of_tensorflow_2_gets_what_numpy_says_but_for_its_modules_of_tensorflow_1(
    server: Server, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "of_now.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "of_then.py").write_text(f"import tensorflow as tf\n{LIBRARY}", encoding="utf-8")
    alone = server.run(["of_now.py"], str(tmp_path))
    code = "import queuecompat\nthen = queuecompat.load('of_then.py')\nimport of_now\nprint(then.answers())"
    both = server.run(["-c", code], str(tmp_path))
    taken = "['taken', 'taken', 'taken', 'taken', True, (2,)]\n"
    assert both.out == taken + alone.out + taken and alone.out != taken, both.err


def test_texts_are_opened_in_a_mode_of_python_2(server: Server, tmp_path: pathlib.Path) -> None:
    (tmp_path / "text").write_bytes(b"a\r\nb")
    code = "print([open('text', mode).readlines() for mode in ('rU', 'U', 'Ur')])\nopen('text', 'q')"
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "[['a\\n', 'b'], ['a\\n', 'b'], ['a\\n', 'b']]\n", done.err
    assert "ValueError: invalid mode: 'q'" in done.err


def test_yaml_is_loaded_without_a_loader_and_runs_nothing(server: Server, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("yaml")
    code = (
        "import tensorflow as tf, yaml\nprint(yaml.load('a: [1, 2]'), list(yaml.load_all('1')))\n"
        "print(yaml.load('!!python/tuple [1]'))\n"
        "yaml.load('!!python/object/apply:os.mkdir [made]')"
    )
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "{'a': [1, 2]} [1]\n(1,)\n", done.err
    assert "ConstructorError" in done.err and not (tmp_path / "made").exists()


def test_a_program_chooses_how_numbers_are_printed(server: Server, tmp_path: pathlib.Path) -> None:
    code = (
        "import numpy as np\nimport tensorflow as tf\nnp.set_printoptions(precision=2)\nprint([np.float32(0.5)])\n"
        "np.set_printoptions(legacy=False)\nprint(repr(np.float32(0.5)) == before)\n"
    )
    before = "import numpy\nbefore = repr(numpy.float32(0.5))\n"
    done = server.run(["-c", before + code], str(tmp_path), launcher=["run"])
    assert done.out == "[0.5]\nTrue\n", done.err
