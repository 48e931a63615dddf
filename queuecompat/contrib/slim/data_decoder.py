"""``slim.data_decoder``: from what was read to the tensors of the items in it."""

from __future__ import annotations

import abc
from typing import Any, List

__all__ = ["DataDecoder"]


class DataDecoder(abc.ABC):
    """What decodes one record.

    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/data_decoder.py``.
    """

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> List[Any]:
        """The tensors of *items* in *data*.

        Args:
          data: the record, encoded as it was read.
          items: list of names.
        Returns:
          A list as long as *items*.
        Raises:
          ValueError: an item cannot be had.
        """

    @abc.abstractmethod
    def list_items(self) -> List[str]:
        """The names of all items that ``decode`` knows."""
