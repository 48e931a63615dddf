"""Names that Python, NumPy and others had in TensorFlow 1's time and have no longer, and what each is called now.

``check`` reports them, ``migrate`` writes the new names, and ``_namespace.older`` brings the old ones back for programs
that run unchanged.
"""

from __future__ import annotations

from typing import Dict

__all__ = [
    "BY_HAND",
    "IN_CALLS",
    "METHODS",
    "MODES",
    "MODULES",
    "OF_SOME_VERSIONS",
    "OLDER",
    "OWNERS",
    "OWNERS_OF_METHODS",
]

_ABSTRACT = (
    "AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine Generator "
    "Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet "
    "Reversible Sequence Set Sized ValuesView"
)
_WINDOWS = (
    "barthann bartlett blackman blackmanharris bohman boxcar chebwin cosine exponential flattop gaussian "
    "general_gaussian hamming hann kaiser nuttall parzen triang tukey"
)

# By module: what each name is now, as code in which NumPy is ``numpy``. Compared in Python 3.7 with 3.13, and in NumPy
# 1.16 with 2.5, SciPy 1.1 with 1.17; what NumPy's own error says in full is here, too. Names that only NumPy itself, or
# a person at a prompt, had a use for are not. ``bool`` and ``long`` are absent in NumPy 1.24 to 1.26 only.
OLDER: Dict[str, Dict[str, str]] = {
    "PIL.Image": {
        "ANTIALIAS": "PIL.Image.LANCZOS",
        "CUBIC": "PIL.Image.BICUBIC",
        "LINEAR": "PIL.Image.BILINEAR",
    },
    "base64": {"decodestring": "base64.decodebytes", "encodestring": "base64.encodebytes"},
    "collections": {name: f"collections.abc.{name}" for name in _ABSTRACT.split()},
    "configparser": {"SafeConfigParser": "configparser.ConfigParser"},
    "fractions": {"gcd": "math.gcd"},
    "inspect": {"getargspec": "inspect.getfullargspec"},
    "numpy": {
        "AxisError": "numpy.exceptions.AxisError",
        "ComplexWarning": "numpy.exceptions.ComplexWarning",
        "Inf": "numpy.inf",
        "Infinity": "numpy.inf",
        "NAN": "numpy.nan",
        "NINF": "-numpy.inf",
        "NaN": "numpy.nan",
        "PINF": "numpy.inf",
        "RankWarning": "numpy.exceptions.RankWarning",
        "VisibleDeprecationWarning": "numpy.exceptions.VisibleDeprecationWarning",
        "alen": "len",
        "alltrue": "numpy.all",
        "asfarray": "numpy.asarray(array, float)",
        "asscalar": "numpy.ndarray.item",
        "bool": "bool",
        "bool8": "numpy.bool_",
        "bytes0": "numpy.bytes_",
        "cast": "numpy.asarray(array, dtype)",
        "cfloat": "numpy.complex128",
        "complex": "complex",
        "complex_": "numpy.complex128",
        "cumproduct": "numpy.cumprod",
        "float": "float",
        "float_": "numpy.float64",
        "in1d": "numpy.isin",
        "infty": "numpy.inf",
        "int": "int",
        "int0": "numpy.intp",
        "loads": "pickle.loads",
        "long": "int",
        "longcomplex": "numpy.clongdouble",
        "longfloat": "numpy.longdouble",
        "mat": "numpy.asmatrix",
        "math": "math",
        "msort": "numpy.sort",
        "object": "object",
        "object0": "numpy.object_",
        "product": "numpy.prod",
        "rank": "numpy.ndim",
        "round_": "numpy.round",
        "row_stack": "numpy.vstack",
        "sctypes": "numpy.dtype(...)",
        "singlecomplex": "numpy.complex64",
        "sometrue": "numpy.any",
        "str": "str",
        "str0": "numpy.str_",
        "string_": "numpy.bytes_",
        "sys": "sys",
        "trapz": "numpy.trapezoid",
        "typeDict": "numpy.sctypeDict",
        "uint0": "numpy.uintp",
        "unicode": "str",
        "unicode_": "numpy.str_",
        "warnings": "warnings",
    },
    "numpy.lib": {"pad": "numpy.pad"},
    "numpy.linalg": {"linalg": "numpy.linalg"},
    "scipy.integrate": {
        "cumtrapz": "scipy.integrate.cumulative_trapezoid",
        "simps": "scipy.integrate.simpson",
        "trapz": "scipy.integrate.trapezoid",
    },
    "scipy.misc": {
        "bytescale": "numpy.interp(array, [array.min(), array.max()], [0, 255])",
        "comb": "scipy.special.comb",
        "factorial": "scipy.special.factorial",
        "factorial2": "scipy.special.factorial2",
        "factorialk": "scipy.special.factorialk",
        "fromimage": "numpy.asarray(image)",
        "imread": "numpy.asarray(PIL.Image.open(path))",
        "imresize": "PIL.Image.fromarray(array).resize((width, height))",
        "imrotate": "PIL.Image.fromarray(array).rotate(angle)",
        "imsave": "PIL.Image.fromarray(array).save(path)",
        "logsumexp": "scipy.special.logsumexp",
        "toimage": "PIL.Image.fromarray(array)",
    },
    "scipy.ndimage": {"imread": "numpy.asarray(PIL.Image.open(path))"},
    "scipy.signal": {name: f"scipy.signal.windows.{name}" for name in _WINDOWS.split()},
    "time": {"clock": "time.process_time"},
    "xml.etree": {"cElementTree": "xml.etree.ElementTree"},
}
_PACKAGES = {"PIL": "Pillow", "numpy": "NumPy", "scipy": "SciPy", "sklearn": "scikit-learn"}
# By the full name: versions that lack it, where later ones have it again.
OF_SOME_VERSIONS = dict.fromkeys(("numpy.bool", "numpy.long"), "NumPy 1.24 to 1.26")
# Modules that are gone, and what programs take now.
MODULES = {
    "imghdr": "PIL.Image.open(path).format",
    "imp": "importlib",
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.externals.joblib": "joblib",
    "sklearn.externals.six": "six",
    "sklearn.grid_search": "sklearn.model_selection",
}
OWNERS = {one: _PACKAGES.get(one.partition(".")[0], "Python") for one in (*OLDER, *MODULES)}
# By the full name: what is used instead does a part of what these did, and their author has to decide about the rest;
# or it is a module, which has to be imported.
BY_HAND = frozenset(
    f"{module}.{name}"
    for module in OLDER
    for name, now in OLDER[module].items()
    if now.endswith(")") or now in ("math", "sys", "warnings")
)
# Functions of which a call has to be written in a different form, by the full name: with the old arguments.
IN_CALLS = {
    "inspect.getargspec": "inspect.getfullargspec({})[:4]",
    "numpy.asscalar": "numpy.asarray({}).item()",
    "numpy.fromstring": "numpy.frombuffer({}).copy()",
    "numpy.in1d": "numpy.isin({}).ravel()",
    "numpy.msort": "numpy.sort({}, axis=0)",
}
# TensorFlow's, which went with estimators after 2.15, and what each is; queuecompat has them, and ``check`` is silent.
MODES = {
    f"tf.{module}.ModeKeys.{name}": mode
    for module in ("contrib.learn", "estimator")
    for name, mode in (("TRAIN", "train"), ("EVAL", "eval"), ("INFER", "infer"), ("PREDICT", "infer"))
}
# Methods that ``check`` can tell by their names: the method that does it now, or what to write instead; and whose.
METHODS = {
    "as_matrix": "to_numpy",
    "getchildren": "list(element)",
    "getiterator": "element.iter(tag)",
    "isAlive": "is_alive",
    "itemset": "array[index] = value",
    "ptp": "np.ptp(array)",
    "tostring": "tobytes",
}
OWNERS_OF_METHODS = {"as_matrix": "pandas", "getchildren": "Python", "getiterator": "Python", "isAlive": "Python"}
