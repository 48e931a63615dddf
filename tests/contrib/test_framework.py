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
def test_a_name_that_is_gone_says_why(name: str) -> None:
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
