"""``slim.dataset``: what a data set is made of."""

from __future__ import annotations

from typing import Any

__all__ = ["Dataset"]


class Dataset:
    """Files, how to read them, how to decode what was read, and what comes out. Each is an attribute.

    Args:
      data_sources: the files, as ``parallel_reader.get_data_files`` takes them.
      reader: the reader's class.
      decoder: a ``data_decoder.DataDecoder``.
      num_samples: how many examples the files hold.
      items_to_descriptions: dict from the name of each item to a text about it.
      kwargs: more attributes, under their own names.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/dataset.py``.
    """

    def __init__(
        self, data_sources: Any, reader: Any, decoder: Any, num_samples: Any, items_to_descriptions: Any, **kwargs: Any
    ) -> None:
        self.data_sources = data_sources
        self.reader = reader
        self.decoder = decoder
        self.num_samples = num_samples
        self.items_to_descriptions = items_to_descriptions
        vars(self).update(kwargs)
