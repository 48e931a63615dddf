"""What a rewrite gives back."""

from __future__ import annotations

import dataclasses
from typing import Sequence

from queuecompat.migrate.findings import Finding

__all__ = ["Rewritten"]


@dataclasses.dataclass(frozen=True)
class Rewritten:
    """The new text of a source.

    Attributes:
      text: equal to the old one where there was nothing to do.
      left: what was left as it was, and why; at its place in the old text.
    """

    text: str
    left: Sequence[Finding] = ()
