"""``contrib.training.HParams`` and ``parse_values``: what they store, and what they refuse."""

from __future__ import annotations

import json
from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_run, gold, word, words

__all__: list[str] = []


def _hparams(tf: Any) -> Any:
    return tf.contrib.training.HParams(
        rate=0.1, steps=10, deep=True, name="net", sizes=[1, 2], scales=[0.5], flags=[True, False], parts=["a", "b"]
    )


def _text(value: Any) -> np.ndarray:
    """*value* with the types of all its parts, as a word. Dicts are sorted: Python 3.7's TF1 did not keep the order."""
    return word(repr(_sorted(value)))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted((str(key), _sorted(item)) for key, item in value.items())
    return value


def _outcome(call: Callable[[], Any]) -> np.ndarray:
    """What *call* gives, or the type of its error."""
    found: Any = None

    def run() -> None:
        nonlocal found
        found = call()

    error = error_at_run(run)
    return _text(found) if error.item() == b"none" else word("raises " + error.item().decode())


def _outcomes(calls: Dict[str, Callable[[], Any]]) -> Result:
    return {name: _outcome(call) for name, call in calls.items()}


# -- texts -----------------------------------------------------------------------------------

TYPES = {"a": int, "b": float, "c": str, "d": bool, "e": int, "x.y": str}

TEXTS = {
    "nothing": "",
    "an_integer": "a=3",
    "a_negative_integer": "a=-12",
    "a_plus": "a=+12",
    "an_integer_with_spaces": "a = 3",
    "an_integer_with_an_underscore": "a=1_000",
    "a_fraction_for_an_integer": "a=3.0",
    "a_word_for_an_integer": "a=three",
    "nothing_for_an_integer": "a=",
    "nothing_for_a_text": "c=",
    "a_float": "b=-.54e89",
    "an_integer_for_a_float": "b=3",
    "infinity": "b=inf",
    "a_text": "c=foo bar_1",
    "a_text_with_an_equals_sign": "c=x=y",
    "a_text_with_a_bracket": "c=x]",
    "a_text_with_an_opening_bracket": "c=x[",
    "a_text_with_quotes": "c='x'",
    "a_text_before_a_newline": "c=x\n",
    "true": "d=true",
    "upper_true": "d=True",
    "shouted_true": "d=TRUE",
    "false": "d=False",
    "one": "d=1",
    "two": "d=2",
    "zero": "d=0",
    "maybe": "d=maybe",
    "a_fraction_as_truth": "d=0.5",
    "several": "a=1, b=2.5,c=x,  d=false",
    "a_comma_at_the_end": "a=1,",
    "a_comma_and_spaces_at_the_end": "a=1,  ",
    "a_comma_at_the_start": ",a=1",
    "two_commas": "a=1,,b=2",
    "a_space_before_a_comma": "a=1 ,b=2",
    "a_space_at_the_start": " a=1",
    "no_value": "a",
    "a_name_of_digits": "1=2",
    "a_dotted_name": "x.y=z",
    "an_unknown_name": "q=1",
    "an_unknown_name_among_others": "a=1,q=[1,2],b=2",
    "a_list": "e=[1,2,3]",
    "a_list_with_spaces": "e=[1, 2 3]",
    "a_list_after_a_space": "e= [1]",
    "an_empty_list": "e=[]",
    "a_list_of_words_for_integers": "e=[1,x]",
    "a_list_of_texts": "c=[high,low]",
    "a_list_of_truths": "d=[true,0,False]",
    "a_list_in_a_list": "e=[[1],2]",
    "an_open_list": "e=[1,2",
    "text_after_a_list": "e=[1]x",
    "a_list_and_more": "e=[1,2],a=1",
    "an_element": "e[1]=5",
    "elements": "e[1]=5,e[0]=4, e[ 10 ] = 1",
    "an_element_of_words": "e[1]=x",
    "an_element_twice": "e[1]=5,e[1]=6",
    "an_element_that_is_a_list": "e[1]=[2,3]",
    "a_negative_element": "e[-1]=2",
    "a_name_twice": "a=1,a=2",
    "a_list_twice": "e=[1],e=[2]",
    "a_list_and_an_element": "e=[1,2],e[0]=3",
    "an_element_and_a_list": "e[0]=3,e=[1,2]",
    "a_number_and_an_element": "e=1,e[0]=3",
    "an_element_and_a_number": "e[0]=3,e=1",
}


@gold
def texts_are_parsed_as_hyperparameters(tf: Any) -> Result:
    parse = tf.contrib.training.parse_values
    return _outcomes({name: lambda text=text: parse(text, TYPES) for name, text in TEXTS.items()})


@gold
def unknown_names_in_texts_may_be_ignored(tf: Any) -> Result:
    parse = tf.contrib.training.parse_values
    return _outcomes({name: lambda text=text: parse(text, TYPES, ignore_unknown=True) for name, text in TEXTS.items()})


@gold
def any_function_parses_a_text(tf: Any) -> Result:
    parse = tf.contrib.training.parse_values

    def refuses(_: str) -> None:
        raise TypeError

    return _outcomes(
        {
            "a_function": lambda: parse("a=3", {"a": lambda text: text * 2}),
            "a_function_that_refuses": lambda: parse("a=3", {"a": refuses}),
            "nonetype": lambda: parse("a=3", {"a": type(None)}),
            "bytes": lambda: parse("a=3", {"a": bytes}),
        }
    )


# -- the object ------------------------------------------------------------------------------

CHANGES: Dict[str, Any] = {
    "a_float": ("rate", 0.5),
    "an_integer_for_a_float": ("rate", 2),
    "a_truth_for_a_float": ("rate", True),
    "a_text_for_a_float": ("rate", "0.5"),
    "none_for_a_float": ("rate", None),
    "a_list_for_a_float": ("rate", [0.5]),
    "a_numpy_float": ("rate", np.float32(0.5)),
    "an_integer": ("steps", 7),
    "a_numpy_integer": ("steps", np.int64(7)),
    "a_float_for_an_integer": ("steps", 7.0),
    "a_truth_for_an_integer": ("steps", True),
    "a_truth": ("deep", False),
    "an_integer_for_a_truth": ("deep", 0),
    "a_numpy_truth": ("deep", np.bool_(True)),
    "a_text": ("name", "x"),
    "bytes_for_a_text": ("name", b"x"),
    "an_integer_for_a_text": ("name", 3),
    "a_list": ("sizes", [5]),
    "an_empty_list": ("sizes", []),
    "a_tuple": ("sizes", (5, 6)),
    "a_number_for_a_list": ("sizes", 5),
    "a_list_of_floats_for_integers": ("sizes", [5.0]),
    "a_list_of_integers_for_floats": ("scales", [5, 6]),
    "a_list_of_integers_for_truths": ("flags", [1]),
    "a_dict": ("sizes", {0: 1}),
    "no_parameter": ("absent", 1),
    "a_method": ("parse", 1),
}


@gold
def hyperparameters_change_by_their_types(tf: Any) -> Result:
    def changed(name: str, value: Any) -> Any:
        hparams = _hparams(tf)
        hparams.set_hparam(name, value)
        return type(getattr(hparams, name)).__name__, getattr(hparams, name)

    def overridden(name: str, value: Any) -> Any:
        hparams = _hparams(tf)
        same = hparams.override_from_dict({name: value})
        return same is hparams, hparams.values()[name]

    def written(name: str, value: Any) -> Any:
        return _hparams(tf).parse_json(json.dumps({name: value})).values()

    calls: Dict[str, Callable[[], Any]] = {}
    for label, change in CHANGES.items():
        if label.startswith(("a_numpy", "bytes")):
            continue  # their representation is another in newer versions of NumPy; not JSON
        calls[label + ".set"] = lambda change=change: changed(*change)
        calls[label + ".override"] = lambda change=change: overridden(*change)
        calls[label + ".json"] = lambda change=change: written(*change)
    return _outcomes(calls)


@gold
def numpy_numbers_and_bytes_are_cast(tf: Any) -> Result:
    result = {}
    for label in ("a_numpy_float", "a_numpy_integer", "a_numpy_truth", "bytes_for_a_text"):
        name, value = CHANGES[label]
        hparams = _hparams(tf)
        result[label] = error_at_run(lambda hparams=hparams, name=name, value=value: hparams.set_hparam(name, value))
        result[label + ".after"] = word(type(getattr(hparams, name)).__name__ + " " + str(getattr(hparams, name)))
    return result


PARSED = {
    "several": "rate=0.5,steps=3,deep=false,name=x,sizes=[7],scales=[1,2],flags=[0],parts=[p,q]",
    "an_element": "sizes[0]=3",
    "a_number_for_a_list": "sizes=3",
    "a_list_for_a_number": "steps=[3]",
    "an_unknown_name": "absent=3",
    "an_empty_list": "sizes=[]",
    "nothing": "",
}


@gold
def texts_change_hyperparameters(tf: Any) -> Result:
    return _outcomes({name: lambda text=text: _hparams(tf).parse(text).values() for name, text in PARSED.items()})


@gold
def what_comes_before_a_wrong_value_is_changed(tf: Any) -> Result:
    hparams = _hparams(tf)
    error = error_at_run(lambda: hparams.override_from_dict({"rate": 0.5, "steps": "x", "name": "y"}))
    json_error = error_at_run(lambda: hparams.parse_json("{"))
    list_error = error_at_run(lambda: hparams.parse_json("[1]"))
    return {"error": error, "values": _text(hparams.values()), "no_json": json_error, "a_json_list": list_error}


@gold
def hyperparameters_are_added_and_removed(tf: Any) -> Result:
    def added(name: str, value: Any) -> Any:
        hparams = _hparams(tf)
        hparams.add_hparam(name, value)
        return getattr(hparams, name), name in hparams

    def removed(name: str) -> Any:
        hparams = _hparams(tf)
        hparams.del_hparam(name)
        return name in hparams, hasattr(hparams, name)

    def again() -> Any:
        hparams = _hparams(tf)
        hparams.add_hparam("maybe", None)
        hparams.add_hparam("maybe", 3)
        hparams.set_hparam("maybe", 4)
        return hparams.maybe

    return _outcomes(
        {
            "a_number": lambda: added("new", 1),
            "a_tuple": lambda: added("new", (1, 2)),
            "none": lambda: added("new", None),
            "a_dotted_name": lambda: added("new.part", 1),
            "an_empty_list": lambda: added("new", []),
            "a_name_twice": lambda: added("rate", 1.0),
            "the_name_of_a_method": lambda: added("parse", 1),
            "a_private_name": lambda: added("_hparam_types", 1),
            "none_and_then_a_number": again,
            "remove": lambda: removed("rate"),
            "remove_what_is_not_there": lambda: removed("absent"),
            "remove_a_method": lambda: removed("parse"),
            "made_with_an_empty_list": lambda: tf.contrib.training.HParams(a=[]),
            "made_with_the_name_of_a_method": lambda: tf.contrib.training.HParams(values=1),
            "made_with_a_proto_and_more": lambda: tf.contrib.training.HParams(_hparams(tf).to_proto(), a=1),
        }
    )


@gold
def a_parameter_that_was_none_takes_anything(tf: Any) -> Result:
    hparams = tf.contrib.training.HParams(maybe=None)
    return _outcomes(
        {name: lambda v=v: _after(hparams, v) for name, v in {"one": 1, "text": "x", "none": None}.items()}
    )


def _after(hparams: Any, value: Any) -> Any:
    hparams.set_hparam("maybe", value)
    return hparams.maybe


@gold
def hyperparameters_are_looked_up_with_a_default(tf: Any) -> Result:
    hparams = _hparams(tf)
    defaults: Dict[str, Any] = {
        "present": ("rate",),
        "absent": ("absent",),
        "absent_with_default": ("absent", 3),
        "with_default": ("rate", 0.5),
        "integer_for_float": ("rate", 1),
        "text_for_float": ("rate", "x"),
        "list_for_float": ("rate", [0.5]),
        "list": ("sizes", [3]),
        "empty_list": ("sizes", []),
        "float_in_a_list_of_integers": ("sizes", [3.5]),
        "number_for_list": ("sizes", 3),
        "truth_for_integer": ("steps", True),
        "none": ("steps", None),
    }
    return _outcomes({name: lambda given=given: hparams.get(*given) for name, given in defaults.items()})


@gold
def hyperparameters_are_written(tf: Any) -> Result:
    hparams = tf.contrib.training.HParams(rate=0.1)
    for name, value in (("sizes", [1, 2]), ("name", "net"), ("deep", True), ("pair", (1, 2)), ("none", None)):
        hparams.add_hparam(name, value)
    return {
        "str": word(str(hparams)),
        "repr": word(repr(hparams)),
        "values": words(list(hparams.values())),
        "json": word(hparams.to_json()),
        "json_indented": word(hparams.to_json(indent=2, sort_keys=True)),
        "json_dense": word(hparams.to_json(separators=(",", ":"))),
        "contains": np.array(["rate" in hparams, "parse" in hparams]),
        "a_set_in_json": error_at_run(lambda: tf.contrib.training.HParams(a={1}).to_json()),
    }


@gold
def hyperparameters_keep_a_model_structure(tf: Any) -> Result:
    hparams = tf.contrib.training.HParams(model_structure="structure", a=1)
    before = hparams.get_model_structure()
    hparams.set_model_structure("other")
    return {"before": word(before), "after": word(hparams.get_model_structure()), "values": _text(hparams.values())}


@gold
def a_subclass_shows_its_own_name(tf: Any) -> Result:
    class Mine(tf.contrib.training.HParams):
        pass

    return {"repr": word(repr(Mine(a=1))), "proto": word(type(Mine.from_proto(Mine(a=1).to_proto())).__name__)}


# -- protos ----------------------------------------------------------------------------------


@gold
def hyperparameters_have_tf1s_proto(tf: Any) -> Result:
    proto = _hparams(tf).to_proto()
    back = tf.contrib.training.HParams.from_proto(proto)
    return {
        "bytes": np.frombuffer(proto.SerializeToString(deterministic=True), np.uint8),
        "name": word(proto.DESCRIPTOR.full_name),
        "values": _text(back.values()),
        "direct": _text(tf.contrib.training.HParams(hparam_def=proto).values()),
        "none": error_at_run(lambda: tf.contrib.training.HParams(a=None).to_proto()),
        "a_dict": error_at_run(lambda: tf.contrib.training.HParams(a={}).to_proto()),
        "too_large": error_at_run(lambda: tf.contrib.training.HParams(a=2**70).to_proto()),
        "not_a_proto": error_at_run(lambda: tf.contrib.training.HParams(hparam_def="x")),
        "an_empty_proto": _text(tf.contrib.training.HParams(type(proto)()).values()),
    }
