"""A session for TensorFlow's own queue runners that runs other ops in place of their enqueue ops.

``QueueRunner.create_threads`` only uses a session's ``run`` and ``make_callable``. So with this wrapper a runner keeps
its own threads, names, counts, endings and errors, while its threads run the ops that were compiled for it.
"""

from __future__ import annotations

from typing import Any, Callable, Mapping, Union

import tensorflow as tf

from queuecompat._session.steps import open_sessions, sessions

__all__ = ["RunnersSession", "name_of", "with_ops"]


AtTheEnd = Callable[[str, tf.compat.v1.Session], None]


class RunnersSession:
    """Wraps *session*; runs the op that *instead* has for a name in place of the op with that name.

    Equal to all other wrappers of the same session.

    Args:
      at_the_end: called with the name of the original op and the session when the op run in its place has reached the
        end of its data.
    """

    def __init__(self, session: tf.compat.v1.Session, instead: Mapping[str, Any], at_the_end: AtTheEnd) -> None:
        self.session = session
        self.instead = dict(instead)
        self.at_the_end = at_the_end

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RunnersSession) and other.session is self.session

    def __hash__(self) -> int:
        return hash(self.session)

    def make_callable(self, op: Any) -> Callable[[], Any]:
        name = name_of(op)
        if name not in self.instead:
            made: Callable[[], Any] = self.session.make_callable(op)
            return made
        fill = sessions.filling_callable(self.session, self.instead[name], _queue_of(op))

        def filled() -> None:
            try:
                fill()
            except tf.errors.OutOfRangeError:
                self.at_the_end(name, self.session)
                raise

        return filled

    def run(self, op: Any) -> Any:
        return self.session.run(self.instead.get(name_of(op), op))


def _queue_of(enqueue: Any) -> str:
    """The name of the queue that an enqueue op fills; "" if it is not one: a runner may run the result of a cond."""
    inputs = getattr(enqueue, "inputs", ())
    return str(inputs[0].op.name) if inputs else ""


def name_of(fetch: Any) -> str:
    """The name of the op that *fetch* stands for: an op, a tensor or a name.

    A runner may run the result of a ``tf.cond``.
    """
    return str(getattr(fetch, "name", fetch)).partition(":")[0]


def with_ops(
    session: Union[tf.compat.v1.Session, RunnersSession],
    instead: Mapping[str, Any],
    at_the_end: AtTheEnd = lambda *_: None,
) -> Union[tf.compat.v1.Session, RunnersSession]:
    """A session in which the ops *instead* also replace those whose names they are under.

    *session* if there are none.
    """
    if not instead:
        return session
    if isinstance(session, RunnersSession):
        return RunnersSession(session.session, {**session.instead, **instead}, at_the_end)
    return RunnersSession(open_sessions.innermost(session), instead, at_the_end)
