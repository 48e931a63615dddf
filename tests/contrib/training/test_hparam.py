"""``HParams``; what TF1 did with every value and text is among the gold cases."""

from __future__ import annotations

import subprocess
import sys

import pytest

from queuecompat.contrib import training


def test_it_needs_no_tensorflow() -> None:
    code = (
        "import sys; from queuecompat.contrib.training import HParams, parse_values;"
        "HParams.from_proto(HParams(a=1).to_proto()); sys.exit('tensorflow' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_proto_comes_back_from_its_bytes() -> None:
    made = training.HParams(rate=0.5, steps=3, deep=True, name="ü", sizes=[1, 2], parts=["a", "b"], flags=[False])
    proto = made.to_proto()
    again = type(proto).FromString(proto.SerializeToString())
    assert training.HParams(hparam_def=again).values() == made.values()


def test_set_from_map_still_works_and_says_what_to_use() -> None:
    with pytest.warns(DeprecationWarning, match="override_from_dict"):
        hparams = training.HParams(a=1).set_from_map({"a": 2})
    assert hparams.a == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a=x", ["'a'", "a=x"]),
        ("b=1", ["'b'", "b=1"]),
        ("a=1,a=2", ["'a'", "twice"]),
        ("a[1]=[2]", ["a[1]", "list"]),
        ("a=1,?", ["'?'"]),
    ],
)
def test_a_text_that_is_refused_is_quoted(text: str, words: list) -> None:
    with pytest.raises(ValueError) as refused:
        training.HParams(a=1).parse(text)
    assert all(word in str(refused.value) for word in words)


def test_a_value_of_another_type_is_named_with_its_parameter() -> None:
    with pytest.raises(ValueError, match=r"'steps' has type int, but 2.5 does not"):
        training.HParams(steps=1).set_hparam("steps", 2.5)
