"""``slim.dataset_data_provider``: the items of a ``Dataset``, read and decoded."""

from __future__ import annotations

from typing import Any, Dict, Optional

from queuecompat.contrib.slim.data_provider import DataProvider
from queuecompat.contrib.slim.dataset import Dataset
from queuecompat.contrib.slim.parallel_reader import parallel_read

__all__ = ["DatasetDataProvider"]


class DatasetDataProvider(DataProvider):
    """Reads a ``Dataset`` with ``parallel_read`` and decodes each record; ``get`` returns the tensors of one example.

    Args:
      dataset: the ``Dataset``.
      num_readers, reader_kwargs, shuffle, num_epochs, seed, scope: as ``parallel_reader.parallel_read``.
      common_queue_capacity: its *capacity*, in records.
      common_queue_min: its *min_after_dequeue*, in records.
      record_key: name of an additional item, the key of the record.
    Raises:
      ValueError: an item of the dataset has the name *record_key*.
      As ``parallel_read``, and as the dataset's decoder.
    Differs from TF1: As ``contrib.slim.parallel_reader.parallel_read``.
    Source: TF 1.15.5 ``contrib/slim/python/slim/data/dataset_data_provider.py``.
    """

    def __init__(
        self,
        dataset: Dataset,
        num_readers: int = 1,
        reader_kwargs: Optional[Dict[str, Any]] = None,
        shuffle: bool = True,
        num_epochs: Optional[int] = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: Optional[int] = None,
        scope: Optional[str] = None,
    ) -> None:
        key, record = parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        tensors = dict(zip(items, dataset.decoder.decode(record, items)))
        if record_key in tensors:
            raise ValueError(
                f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}"
            )
        tensors[record_key] = key
        super().__init__(items_to_tensors=tensors, num_samples=dataset.num_samples)
