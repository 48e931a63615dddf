"""Argument scopes: default arguments of some functions for the length of a block.

Rule: there is one stack of scopes. If tf-slim is installed it is tf-slim's, which its layers read.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
from typing import Any, Callable, Dict, Iterator, List, Tuple

__all__ = ["add_arg_scope", "arg_scope", "arg_scoped_arguments", "current_arg_scope", "has_arg_scope"]

Scope = Dict[str, Dict[str, Any]]

_STACK: List[Scope] = [{}]
_ARGUMENTS: Dict[str, Tuple[str, ...]] = {}


def _current_arg_scope() -> Scope:
    """The current defaults, by function."""
    return _STACK[-1]


@contextlib.contextmanager
def _arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[Scope]:
    """``with arg_scope([conv, dense], padding="SAME") as scope:`` sets default arguments of the functions.

    Args:
      list_ops_or_scope: a list of functions with ``add_arg_scope``, or the *scope* of an earlier block.
      kwargs: the defaults; not with a *scope*.
    Raises:
      ValueError: a function without ``add_arg_scope``; *kwargs* together with a scope.
      TypeError: neither a list nor a scope.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/framework/python/ops/arg_scope.py``.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("arg_scope: when a scope is entered again, no other arguments are allowed")
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = dict(_current_arg_scope())
        for function in list_ops_or_scope:
            if not _has_arg_scope(function):
                raise ValueError(f"arg_scope: {function} is not decorated with @add_arg_scope")
            scope[_key(function)] = {**scope.get(_key(function), {}), **kwargs}
    else:
        raise TypeError(f"arg_scope: pass a list of functions, or a scope, not {list_ops_or_scope!r}")
    _STACK.append(scope)
    try:
        yield scope
    finally:
        _STACK.pop()


def _add_arg_scope(func: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: ``arg_scope`` can set defaults of *func*."""

    @functools.wraps(func)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **{**_current_arg_scope().get(_key(func), {}), **kwargs})

    with_defaults._key_op = _key(func)  # type: ignore[attr-defined]
    count = len(func.__defaults__ or ())
    names = func.__code__.co_varnames[: func.__code__.co_argcount]
    _ARGUMENTS[_key(func)] = names[len(names) - count :]
    return with_defaults


def _has_arg_scope(func: Callable[..., Any]) -> bool:
    """Whether *func* is decorated with ``add_arg_scope``."""
    return _key(func) in _ARGUMENTS


def _arg_scoped_arguments(func: Callable[..., Any]) -> Tuple[str, ...]:
    """The arguments of *func* that have defaults. AssertionError: it is not decorated with ``add_arg_scope``."""
    assert _has_arg_scope(func)
    return _ARGUMENTS[_key(func)]


def _key(func: Callable[..., Any]) -> str:
    return getattr(func, "_key_op", str(func))


if importlib.util.find_spec("tf_slim") is not None:
    _slim: Any = importlib.import_module("tf_slim")
    add_arg_scope = _slim.add_arg_scope
    arg_scope = _slim.arg_scope
    arg_scoped_arguments = _slim.arg_scoped_arguments
    current_arg_scope = _slim.current_arg_scope
    has_arg_scope = _slim.has_arg_scope
else:
    add_arg_scope = _add_arg_scope
    arg_scope = _arg_scope
    arg_scoped_arguments = _arg_scoped_arguments
    current_arg_scope = _current_arg_scope
    has_arg_scope = _has_arg_scope
