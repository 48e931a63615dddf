"""``tf.contrib.training``: buckets, samplers, sequences and hyperparameters."""

from __future__ import annotations

from queuecompat import api
from queuecompat._lazy import lazily

_HERE = __name__
_PLACES = {
    "FeedingQueueRunner": f"{_HERE}.feeding:FeedingQueueRunner",
    "HParams": f"{_HERE}.hparam:HParams",
    "NextQueuedSequenceBatch": f"{_HERE}.sequences:NextQueuedSequenceBatch",
    "SequenceQueueingStateSaver": f"{_HERE}.sequences:SequenceQueueingStateSaver",
    "batch_sequences_with_states": f"{_HERE}.sequences:batch_sequences_with_states",
    "bucket": f"{_HERE}.bucket_ops:bucket",
    "bucket_by_sequence_length": f"{_HERE}.bucket_ops:bucket_by_sequence_length",
    "checkpoints_iterator": "tensorflow.compat.v1:train.checkpoints_iterator",
    "parse_values": f"{_HERE}.hparam:parse_values",
    "rejection_sample": f"{_HERE}.sampling_ops:rejection_sample",
    "resample_at_rate": f"{_HERE}.resample:resample_at_rate",
    "stratified_sample": f"{_HERE}.sampling_ops:stratified_sample",
    "weighted_resample": f"{_HERE}.resample:weighted_resample",
}

__all__ = sorted(_PLACES)


def _absent(name: str) -> str:
    why = api.gone("tf.contrib.training").get(name, "TF 1.15 had none of this name")
    return f"tf.contrib.training.{name} is not part of TensorFlow 2, nor of queuecompat: {why}"


__getattr__, __dir__ = lazily(_HERE, _PLACES, _absent)
