"""Names that Python, NumPy and others have removed are there again, and mean what they meant in Python 3.7."""

from __future__ import annotations

import importlib
import pathlib
import pkgutil

import numpy as np
import pytest

from queuecompat.reference.older_names import BY_HAND, METHODS, OLDER
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
    "Image.ANTIALIAS == 1, Image.new('L', [4, 4]).resize([2, 2], Image.ANTIALIAS).size": "(True, (2, 2))",
    "threading.Thread().isAlive(), array.array('B', b'a').tostring(), filled(b'ab')": "(False, b'a', [97, 98])",
    "[one.tag for one in ET.fromstring('<a><b/><c/></a>').getchildren()]": "['b', 'c']",
    "[one.text for one in ET.fromstring('<a><b>x</b></a>').getiterator('b')]": "['x']",
    "signal.hann(3).tolist(), signal.hamming(1).tolist(), float(integrate.simps([1, 2, 3]))": (
        "([0.0, 1.0, 0.0], [1.0], 4.0)"
    ),
    "stored([1, 2]).value.tolist(), configparser.SafeConfigParser is not None": "([1, 2], True)",
    "ET.fromstring('<a b=\"1\"/>').get('b'), ElementTree is ET": "('1', True)",
}
IMPORTS = """
import array, base64, collections, configparser, fractions, inspect, threading, time
from collections import OrderedDict, Mapping
import xml.etree.cElementTree as ET
from xml.etree import cElementTree as ElementTree
import h5py
import numpy as np
import tensorflow.compat.v1 as tf
from PIL import Image
from scipy import integrate, signal

def filled(data):
    numbers = array.array('B')
    numbers.fromstring(data)
    return numbers.tolist()

def stored(values):
    return h5py.File('x.h5', 'w', driver='core', backing_store=False).create_dataset('x', data=values)

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
def test_removed_names_have_their_old_meaning(launcher: list, server: Server, tmp_path: pathlib.Path) -> None:
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


def test_existing_names_stay_and_modules_of_the_user_get_none(server: Server, tmp_path: pathlib.Path) -> None:
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


MODULES = """
from sklearn.cross_validation import train_test_split
from sklearn.externals import joblib
import sklearn.grid_search
import imp
made = imp.load_source("made", "made_here.py")
file, path, what = imp.find_module("made_here", ["."])
again = imp.load_module("made", file, path, what)
file.close()
print(train_test_split.__module__.startswith("sklearn.model_selection"), joblib.__name__, made.NAME, again.NAME)
print(hasattr(sklearn.grid_search, "GridSearchCV"), imp.new_module("x").__name__)
import sklearn.no_such_part
"""


def test_removed_modules_are_replaced_by_their_successors(server: Server, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("sklearn")
    (tmp_path / "made_here.py").write_text("import tensorflow as tf\nNAME = tf.__name__\n", encoding="utf-8")
    (tmp_path / "program.py").write_text(MODULES, encoding="utf-8")
    done = server.run([str(tmp_path / "program.py")], str(tmp_path), launcher=["run"])
    assert done.out.splitlines() == ["True joblib queuecompat.v1 queuecompat.v1", "True x"], done.err
    assert "No module named 'sklearn.no_such_part'" in done.err


IMAGES = """
import imghdr, io
from PIL import Image
kinds = []
for kind in ("JPEG", "PNG", "GIF", "BMP", "TIFF", "PPM", "WEBP"):
    file = io.BytesIO()
    Image.new("RGB", [4, 4]).save(file, kind)
    kinds.append(imghdr.what(None, file.getvalue()))
    with open("image", "wb") as written:
        written.write(file.getvalue())
    assert imghdr.what("image") == kinds[-1] == imghdr.what(open("image", "rb"))
print(*kinds, imghdr.what(None, b"P7 text"), imghdr.what(None, b""))
"""


def test_kinds_of_images(server: Server, tmp_path: pathlib.Path) -> None:
    """``imghdr``, which Python 3.13 has no more."""
    done = server.run(["-c", IMAGES], str(tmp_path), launcher=["run"])
    assert done.out == "jpeg png gif bmp tiff ppm webp None None\n", done.err


def test_methods_of_packages_that_are_imported_later(server: Server, tmp_path: pathlib.Path) -> None:
    code = (
        "import tensorflow as tf\nfrom PIL import Image, ImageDraw, ImageFont\n"
        "font = ImageFont.load_default()\ndraw = ImageDraw.Draw(Image.new('L', [99, 20]))\n"
        "print(font.getsize('ab') == draw.textsize('ab', font), min(font.getsize('ab')) > 4)\n"
    )
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "True True\n", done.err


def test_methods_of_pandas(server: Server, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("pandas")
    code = (
        "import pandas as pd\nimport tensorflow as tf\nframe = pd.DataFrame({'a': [1, 2], 'b': [3, 4]})\n"
        "print(frame.as_matrix().tolist(), frame.as_matrix(['b']).tolist(), [name for name, _ in frame.iteritems()])\n"
        "print(frame.append({'a': 5, 'b': 6}, ignore_index=True).as_matrix().tolist(), len(frame.append(frame)))\n"
    )
    done = server.run(["-c", code], str(tmp_path), launcher=["run"])
    assert done.out == "[[1, 3], [2, 4]] [[3], [4]] ['a', 'b']\n[[1, 3], [2, 4], [5, 6]] 4\n", done.err


@pytest.mark.filterwarnings("ignore:scipy.misc is deprecated:DeprecationWarning")
@pytest.mark.parametrize("module", OLDER)
def test_every_advised_replacement_exists(module: str) -> None:
    there = vars(importlib.import_module(module))
    for name, now in OLDER[module].items():
        is_code = "." in now and f"{module}.{name}" not in BY_HAND
        assert name in there or not is_code or pkgutil.resolve_name(now.lstrip("-")) is not None
    assert hasattr(np.ndarray, METHODS["tostring"])
