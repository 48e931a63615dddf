"""``HParams``: named and typed hyperparameters, which a command line can change.

Rule 1: the type of a parameter is that of its first value; the type of a list is that of its first element.
Rule 2: a new value must have that type, or be an integer for a float. Nothing else is converted.
Rule 3: plain Python. Only ``to_proto`` and ``from_proto`` need protobuf, and import it themselves.
"""

from __future__ import annotations

import json
import numbers
import re
import warnings
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import six

__all__ = ["HParams", "parse_values"]

# name=value, name[index]=value or name=[value, value]
_CLAUSE = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)"
    r"(?:\[\s*(?P<index>\d+)\s*\])?"
    r"\s*=\s*"
    r"(?:\[(?P<elements>[^\]]*)\]|(?P<scalar>[^,\[]*))"
    r"(?:,\s*|$)"
)
_TEXT = (str, bytes)
_TRUTHS = {"true": True, "True": True, "false": False, "False": False}


class HParams:
    """Hyperparameters, each an attribute.

    ::

        hparams = HParams(learning_rate=0.1, layers=[64, 64])
        hparams.parse("learning_rate=0.3,layers=[32]")
        hparams.learning_rate  # 0.3

    Args:
      hparam_def: a ``HParamDef`` message, as ``to_proto`` returns it, instead of *kwargs*.
      model_structure: any object; ``get_model_structure`` returns it.
      kwargs: the parameters: integers, floats, booleans, strings, or lists of one of these.
    Raises:
      ValueError: both *hparam_def* and *kwargs* are given; or as ``add_hparam``.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/hparam.py``.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        # From each name to its type, and whether the value is a list of that type.
        self._hparam_types: Dict[str, Tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def and kwargs:
            raise ValueError(f"pass hparam_def or hyperparameters, not both: {', '.join(kwargs)}")
        for name, value in (_from_message(hparam_def) if hparam_def else kwargs).items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a parameter.

        Raises:
          ValueError: there is an attribute *name* that is not None; *value* is an empty list, which has no type.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"hyperparameter {name!r}: the name is already used")
        is_list = isinstance(value, (list, tuple))
        if is_list and not value:
            raise ValueError(f"hyperparameter {name!r} is an empty list, which has no type")
        self._hparam_types[name] = (type(value[0] if is_list else value), is_list)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Changes a parameter.

        Raises:
          KeyError: there is no parameter of that name.
          ValueError: *value* has a different type, or exactly one of old and new value is a list.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list) != is_list:
            raise ValueError(f"hyperparameter {name!r} is {'a list' if is_list else 'not a list'}, but got {value!r}")
        setattr(self, name, [_cast(name, kind, v) for v in value] if is_list else _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a parameter; if there is none of that name, nothing happens."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Changes parameters as the text *values* says; see ``parse_values``. Returns itself.

        Raises:
          ValueError: as ``parse_values`` and ``set_hparam``; an index in brackets (see ``parse_values``).
        """
        return self.override_from_dict(
            parse_values(values, {name: kind for name, (kind, _) in self._hparam_types.items()})
        )

    def parse_json(self, values_json: str) -> HParams:
        """Changes parameters as a JSON object says. Returns itself.

        Raises:
          KeyError: there is no parameter of that name.
          ValueError: the text is not JSON, or as ``set_hparam``.
        """
        return self.override_from_dict(json.loads(values_json))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Changes parameters, by name, one after the other. Returns itself.

        Raises:
          As ``set_hparam``; the parameters before the wrong one stay changed.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """The old name of ``override_from_dict``."""
        warnings.warn("set_from_map is deprecated; use override_from_dict", DeprecationWarning, stacklevel=2)
        return self.override_from_dict(values_map)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of *key*, or *default* if there is none.

        Raises:
          ValueError: there is one, and *default* is not of its type.
        """
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None:
            if isinstance(default, list) != is_list:
                raise ValueError(
                    f"hyperparameter {key!r} is {'a list' if is_list else 'not a list'}, but default={default!r}"
                )
            for value in default if is_list else [default]:
                _cast(key, kind, value)
        return getattr(self, key)

    def values(self) -> Dict[str, Any]:
        """All parameters by name, in the order of their addition."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def to_json(
        self, indent: Optional[int] = None, separators: Optional[Tuple[str, str]] = None, sort_keys: bool = False
    ) -> str:
        """All parameters as a JSON object; the arguments are those of ``json.dumps``."""
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def set_model_structure(self, model_structure: Any) -> None:
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        return self._model_structure

    def to_proto(self, export_scope: Optional[str] = None) -> Any:
        """The parameters as a ``HParamDef`` message, in TF1's wire format. Floats become single precision.

        Args:
          export_scope: has no effect.
        Raises:
          ValueError: the type of a parameter is not int, float, bool, str or bytes.
          ImportError: protobuf is not installed; it is installed with TensorFlow.
        """
        from queuecompat.contrib.training import _hparam_proto

        return _hparam_proto.message_of(self.values(), self._hparam_types)

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: Optional[str] = None) -> HParams:
        """The parameters of a ``HParamDef`` message. *import_scope* has no effect."""
        return HParams(hparam_def=hparam_def)

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"


def parse_values(
    values: str, type_map: Mapping[str, Callable[[str], Any]], ignore_unknown: bool = False
) -> Dict[str, Any]:
    """Parses the values of hyperparameters in a text like ``"rate=0.1,layers=[64,32],layers[0]=128,name=deep"``.

    Args:
      values: clauses separated by commas; spaces may follow a comma. A value is a scalar without comma or bracket, or
        a list in brackets, whose elements are separated by commas or spaces. A boolean is true, false or an integer.
      type_map: dict from the name of each parameter to its type.
      ignore_unknown: whether to ignore names that are not in *type_map*.
    Returns:
      A dict from each name to its value, to a list, or to a dict from index to value if single elements were set.
    Raises:
      ValueError: a malformed clause; a name that is not in *type_map*; a value of a wrong type; a name or an element
        that is set twice; a list for an element.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/training/python/training/hparam.py``.
    """
    parsed: Dict[str, Any] = {}
    at = 0
    while at < len(values):
        clause = _CLAUSE.match(values, at)
        if clause is None:
            raise ValueError(f"not a hyperparameter's name=value: {values[at:]!r}")
        at = clause.end()
        name = clause["name"]
        if name in type_map:
            _enter(parsed, clause, _parser(type_map[name]), values)
        elif not ignore_unknown:
            raise ValueError(f"there is no hyperparameter {name!r}, in {values!r}")
    return parsed


def _enter(parsed: Dict[str, Any], clause: Any, parser: Callable[[str], Any], values: str) -> None:
    """Adds the value in *clause* to *parsed*."""
    name, index, elements = clause["name"], clause["index"], clause["elements"]
    if elements is not None and index is not None:
        raise ValueError(f"{name}[{index}] is one element and cannot be a list, in {values!r}")
    try:
        value = parser(clause["scalar"]) if elements is None else [parser(e) for e in re.split("[ ,]", elements) if e]
    except ValueError as problem:
        raise ValueError(f"hyperparameter {name!r} cannot be {clause[0]!r}, in {values!r}: {problem}") from problem
    place: Any = parsed if index is None else parsed.setdefault(name, {})
    key = name if index is None else int(index)
    if not isinstance(place, dict) or key in place:
        raise ValueError(f"hyperparameter {name!r} is set twice in {values!r}")
    place[key] = value


def _parser(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    return _parse_truth if kind is bool else kind


def _parse_truth(text: str) -> bool:
    return _TRUTHS[text] if text in _TRUTHS else bool(int(text))


def _cast(name: str, kind: type, value: Any) -> Any:
    """*value* as a *kind*; see rule 2. A parameter whose first value was None accepts any value.

    Raises:
      ValueError: it has a different type.
    """
    # isinstance would accept True as an int.
    if type(value) is kind or issubclass(kind, type(None)):
        return value
    is_other = (
        issubclass(kind, bool) != isinstance(value, bool)
        or (issubclass(kind, _TEXT) and not isinstance(value, _TEXT))
        or (issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral))
        or (issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number))
    )
    if is_other:
        raise ValueError(f"hyperparameter {name!r} has type {kind.__name__}, but {value!r} does not")
    return kind(value)  # type: ignore[call-arg]


def _from_message(hparam_def: Any) -> Dict[str, Any]:
    """The parameters in a ``HParamDef`` message. Bytes are decoded to text, as in TF1."""
    descriptor = getattr(hparam_def, "DESCRIPTOR", None)
    # By name: a program may have its own hparam_pb2.
    assert getattr(descriptor, "full_name", None) == "tensorflow.HParamDef", f"not a HParamDef: {type(hparam_def)}"
    found = {}
    for name, parameter in hparam_def.hparam.items():
        field = parameter.WhichOneof("kind")
        content = getattr(parameter, field)
        convert = six.ensure_str if field.startswith("bytes") else (lambda value: value)
        found[name] = [convert(v) for v in content.value] if field.endswith("_list") else convert(content)
    return found
