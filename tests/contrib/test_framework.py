"""``tf.contrib.framework``: every name, ours and tf-slim's argument scopes, and names that are gone."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import queuecompat.v1 as tf

framework = tf.contrib.framework


@pytest.mark.parametrize("name", framework.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(framework, name) is not None


@pytest.mark.parametrize("name", ["RecordInput", "fuse_op", "convolutional_orthogonal_2d", "smart_case", "x"])
def test_a_removed_name_says_why(name: str) -> None:
    with pytest.raises(AttributeError, match=rf"(?s)'tf\.contrib\.framework\.{name}' was not found: .*instead: +\w+"):
        getattr(framework, name)


def test_a_block_that_fails_ends_its_argument_scope() -> None:
    @framework.add_arg_scope
    def function(a: int = 1) -> int:
        return a

    with pytest.raises(KeyError), framework.arg_scope([function], a=2):
        assert function() == 2
        raise KeyError
    assert function() == 1


def test_argument_scopes_are_those_of_tf_slim_where_it_is_installed(tmp_path: Any) -> None:
    (tmp_path / "tf_slim.py").write_text(
        "add_arg_scope = arg_scope = arg_scoped_arguments = current_arg_scope = has_arg_scope = max\n"
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from queuecompat.contrib import framework as f; " + (
        "sys.exit(f.arg_scope is not max)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_wrong_shape_of_unknown_rank_is_found_at_run_time() -> None:
    checked = framework.with_shape([2], tf.placeholder_with_default([[1, 2]], None))
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(checked)


def test_names_of_shallow_structures_are_there() -> None:
    # Sonnet 1 takes them from here when it is imported; expectations are what TF 1.15.5 returned.
    nest: Any = framework.nest
    pairs = nest.map_structure_up_to(["a", ["b"]], lambda x, y: (x, y), [1, [(2, 3)]], [4, [5]])
    assert pairs == [(1, 4), [((2, 3), 5)]]
    assert nest.flatten_up_to([0, 0], [[1], {"a": 2}]) == [[1], {"a": 2}]
    assert nest.get_traverse_shallow_structure(lambda one: not isinstance(one, tuple), [1, (2,)]) == [True, False]
    assert nest.flatten_dict_items({("a", "b"): (1, 2), "c": [3]}) == {"a": 1, "b": 2, "c": [3]}
    for error, wrong in [
        (TypeError, [1]),
        (ValueError, {("a", "b"): (1,)}),
        (ValueError, {("a", "b"): (1, 2), "a": 3}),
    ]:
        with pytest.raises(error):
            nest.flatten_dict_items(wrong)
    nest.assert_shallow_structure([1, 2], [3, [4]])
    nest.assert_shallow_structure([1], (3,), check_types=False)
    for error, shallow, deep in [
        (ValueError, [1, 2], [3]),
        (TypeError, [1], (3,)),
        (TypeError, [1, [2]], [3, 4]),
        (ValueError, {"a": 1}, {"b": 1}),
    ]:
        with pytest.raises(error):
            nest.assert_shallow_structure(shallow, deep)


def test_what_is_deprecated_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # Training programs of the object detection API decorate their main() so: they failed at that line.
    told = []
    monkeypatch.setattr(tf.logging, "warning", lambda text, *args: told.append(text % args))

    @framework.deprecated(None, "Use more.")
    def main(x: int) -> int:
        return x + 1

    @framework.deprecated_args("2019-01-01", "Use b.", "a", ("c", 3))
    def two(a: Any = None, b: int = 0, c: int = 3) -> Any:
        return a, b, c

    @framework.deprecated_arg_values("2019-01-01", "True is gone.", flag=True)
    def three(x: int, flag: bool = False) -> Any:
        return x, flag

    calls: Any = [
        (lambda: main(1), 2, "Use more."),
        (lambda: main(2), 3, None),
        (lambda: two(b=1), (None, 1, 3), None),
        (lambda: two(a=1), (1, 0, 3), "Use b."),
        (lambda: two(c=3), (None, 0, 3), None),
        (lambda: two(None, 1, 4), (None, 1, 4), "Use b."),
        (lambda: three(1), (1, False), None),
        (lambda: three(1, True), (1, True), "True is gone."),
        (lambda: three(2, True), (2, True), None),
    ]
    for call, result, said in calls:
        told.clear()
        assert call() == result
        assert [one.splitlines()[-1] for one in told] == ([said] if said else [])
    assert main.__name__ == "main"


def test_a_wrong_deprecation_is_refused() -> None:
    for decorate in (
        lambda: framework.deprecated("soon", "Use more."),
        lambda: framework.deprecated(None, ""),
        lambda: framework.deprecated_args(None, "Use more.", "absent")(lambda a: a),
        lambda: framework.deprecated_arg_values(None, "Use more.", absent=1)(lambda a: a),
    ):
        with pytest.raises(ValueError):
            decorate()
