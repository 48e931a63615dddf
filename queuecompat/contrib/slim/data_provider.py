"""``slim.data_provider``: tensors by item name."""

from __future__ import annotations

import abc
from typing import Any, Dict, KeysView, List

__all__ = ["DataProvider"]


class DataProvider(abc.ABC):  # noqa: B024 - without abstract methods, as in TF1
    """Base class: provides the tensors of items.

    Args:
      items_to_tensors: dict from the name of each item to its tensor.
      num_samples: how many examples there are.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/data_provider.py``.
    """

    def __init__(self, items_to_tensors: Dict[str, Any], num_samples: Any) -> None:
        self._items_to_tensors = items_to_tensors
        self._num_samples = num_samples

    def get(self, items: Any) -> List[Any]:
        """The tensors of *items*, a list or tuple of names, in their order.

        Raises:
          ValueError: *items* is neither, or an item does not exist.
        """
        self._validate_items(items)
        return [self._items_to_tensors[item] for item in items]

    def list_items(self) -> KeysView[str]:
        """The names of all items."""
        return self._items_to_tensors.keys()

    def num_samples(self) -> Any:
        """How many examples there are."""
        return self._num_samples

    def _validate_items(self, items: Any) -> None:
        # Has TF1's name, because users' subclasses call it.
        if not isinstance(items, (list, tuple)):
            raise ValueError("items must be a list or tuple")
        known = self.list_items()
        for item in items:
            if item not in known:
                raise ValueError(f"Item [{item}] is invalid. Valid entries include: {known}")
