"""Which packages a program needs besides TensorFlow to run unchanged, as far as the names in it say.

Rule: what TensorFlow 1 had of Keras 2 and of slim's layers is in packages of their own. Whether they are installed, and
      whether an old TensorFlow still has it, only a run could know.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.analysis.tf1_files import removed_uses
from queuecompat.migrate.source.parsing import Source

__all__ = ["Need", "needs"]


class Need(NamedTuple):
    """A package, and what it is needed for.

    Attributes:
      package: as it is installed.
      name: of TensorFlow 1, the first in the file that needs it.
    """

    package: str
    name: str


# Patterns of names. The layers of contrib.layers are those that tf-slim has, and queuecompat.contrib.layers has not.
_PACKAGES = (
    ("tf_keras", re.compile(r"tf\.(layers|nn\.rnn_cell)\.\w+|tf\.contrib\.rnn\.\w*Cell\w*")),
    (
        "tf-slim",
        re.compile(
            r"tf\.contrib\.layers\.(avg_pool\w*|batch_norm|bias_add|conv\w+|dropout|embed_sequence|fully_connected|"
            r"layer_norm|linear|max_pool\w*|relu\w*|repeat|separable_conv\w+|stack|unit_norm)"
            r"|tf\.contrib\.slim\.(avg_pool\w*|batch_norm|conv\w+|dropout|fully_connected|flatten|learning|losses|"
            r"max_pool\w*|metrics|nets|repeat|separable_conv\w+|stack)(\.\w+)*"
        ),
    ),
)


def needs(source: Source) -> Iterator[Need]:
    """One for each package."""
    # A name that is gone has to be changed by hand; its finding says into what.
    symbols = [use.meaning.symbol for use in source.once(mentions) if use.row.status != "gone"]
    found = (source.names.tensorflow(node) for node in source.once(removed_uses))
    symbols += [one.symbol for one in found if one is not None]
    for package, pattern in _PACKAGES:
        first = next((one for one in symbols if pattern.fullmatch(one)), None)
        if first is not None:
            yield Need(package, first)
