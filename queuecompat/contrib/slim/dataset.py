"""``slim.dataset``: the description of a data set."""

from __future__ import annotations

from typing import Any

__all__ = ["Dataset"]


class Dataset:
    """The files of a data set, their reader, their decoder and the items. Each is an attribute.

    Args:
      data_sources: the files, as ``parallel_reader.get_data_files`` takes them.
      reader: the reader's class.
      decoder: a ``data_decoder.DataDecoder``.
      num_samples: number of examples in the files.
      items_to_descriptions: dict from the name of each item to a description.
      kwargs: further attributes.
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
