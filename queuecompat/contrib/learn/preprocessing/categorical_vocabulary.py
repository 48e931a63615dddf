"""A table from categories, such as words, to numbers; looking up a new category adds it."""

from __future__ import annotations

from typing import Any, Dict, List

__all__ = ["CategoricalVocabulary"]

UNKNOWN = 0


class CategoricalVocabulary:
    """Numbers categories 1, 2, ... in the order in which they come; all unknown categories have the number 0.

    Args:
      unknown_token: the category with the number 0.
      support_reverse: whether ``reverse`` works.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/categorical_vocabulary.py``.
    """

    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        # The names of the attributes in the files that TF1 wrote.
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._freq: Dict[Any, int] = {}
        self._freeze = False
        self._number([])

    def __len__(self) -> int:
        """Returns the number of categories, including the unknown one."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Makes new categories unknown from now on; with False, they get numbers again."""
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the number of *category*. A new category gets the next number, or 0 if the table is frozen."""
        if category not in self._mapping and not self._freeze:
            self._mapping[category] = len(self._mapping)
            if self._support_reverse:
                self._reverse_mapping.append(category)
        return self._mapping.get(category, UNKNOWN)

    def add(self, category: Any, count: int = 1) -> None:
        """Counts *category* as seen *count* more times; unknown categories are not counted."""
        if self.get(category) != UNKNOWN:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Keeps the categories seen more than *min_frequency* times, and numbers them again: the most frequent is 1.

        Equally frequent categories are in sorted order, strings after other types.

        Args:
          max_frequency: categories seen at least this often are dropped; -1 or 0: no category is dropped.
        """
        # Two stable sorts: categories with the same count keep the order of the first sort, even with reverse=True.
        in_order = sorted(self._freq.items(), key=lambda one: (isinstance(one[0], str), one[0]))
        in_order.sort(key=lambda one: one[1], reverse=True)
        kept = [one for one in in_order if one[1] > min_frequency and not 0 < max_frequency <= one[1]]
        self._number([category for category, _ in kept])
        # As in TF1: the counts of the most frequent categories, as many as were kept, even if those were dropped.
        self._freq = dict(in_order[: len(kept)])

    def reverse(self, class_id: int) -> Any:
        """Returns the category with the number *class_id*.

        Raises:
          ValueError: the table was made without ``support_reverse``.
          IndexError: no category has this number.
        """
        if not self._support_reverse:
            raise ValueError("this vocabulary was made with support_reverse=False: it has no way back from numbers")
        return self._reverse_mapping[class_id]

    def _number(self, categories: List[Any]) -> None:
        known = [self._unknown_token, *categories]
        self._mapping = {category: number for number, category in enumerate(known)}
        self._reverse_mapping = known if self._support_reverse else []
