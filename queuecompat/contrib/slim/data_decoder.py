"""``slim.data_decoder``: decodes a record to the tensors of its items."""

from __future__ import annotations

import abc
from typing import Any, List

__all__ = ["DataDecoder"]


class DataDecoder(abc.ABC):
    """Base class: decodes one record.

    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/data_decoder.py``.
    """

    @abc.abstractmethod
    def decode(self, data: Any, items: Any) -> List[Any]:
        """The tensors of *items* in *data*.

        Args:
          data: the encoded record.
          items: list of item names.
        Returns:
          A list as long as *items*.
        Raises:
          ValueError: there is no such item.
        """

    @abc.abstractmethod
    def list_items(self) -> List[str]:
        """The names of all items that ``decode`` knows."""
