"""``tf.contrib.training``: buckets, samplers, sequences, hyperparameters, and strategies to place variables.

Its training and evaluation loops are in the package tf-slim; if it is installed, they are available here too.
"""

from __future__ import annotations

from queuecompat._lazy import lazily
from queuecompat.contrib.slim import _layers

_HERE = __name__
_PLACES = {
    "FeedingQueueRunner": f"{_HERE}.feeding:FeedingQueueRunner",
    "GreedyLoadBalancingStrategy": f"{_HERE}.device_setter:GreedyLoadBalancingStrategy",
    "HParams": f"{_HERE}.hparam:HParams",
    "NextQueuedSequenceBatch": f"{_HERE}.sequences:NextQueuedSequenceBatch",
    "RandomStrategy": f"{_HERE}.device_setter:RandomStrategy",
    "SequenceQueueingStateSaver": f"{_HERE}.sequences:SequenceQueueingStateSaver",
    "batch_sequences_with_states": f"{_HERE}.sequences:batch_sequences_with_states",
    "bucket": f"{_HERE}.bucket_ops:bucket",
    "bucket_by_sequence_length": f"{_HERE}.bucket_ops:bucket_by_sequence_length",
    "byte_size_load_fn": f"{_HERE}.device_setter:byte_size_load_fn",
    "checkpoints_iterator": "tensorflow.compat.v1:train.checkpoints_iterator",
    "parse_values": f"{_HERE}.hparam:parse_values",
    "rejection_sample": f"{_HERE}.sampling_ops:rejection_sample",
    "resample_at_rate": f"{_HERE}.resample:resample_at_rate",
    "stratified_sample": f"{_HERE}.sampling_ops:stratified_sample",
    "weighted_resample": f"{_HERE}.resample:weighted_resample",
}

__all__ = sorted(_PLACES)

# The names that tf-slim has unchanged from TensorFlow 1, and the file of tf-slim that each is in.
_OF_TF_SLIM = {
    "StopAfterNEvalsHook": "training.evaluation",
    "SummaryAtEndHook": "training.evaluation",
    "add_gradients_summaries": "training.training",
    "clip_gradient_norms": "training.training",
    "clip_gradient_norms_fn": "training.training",
    "create_train_op": "training.training",
    "evaluate_once": "training.evaluation",
    "evaluate_repeatedly": "training.evaluation",
    "get_or_create_eval_step": "training.evaluation",
    "multiply_gradients": "training.training",
    "train": "training.training",
    "wait_for_new_checkpoint": "training.evaluation",
}


_own, _own_names = lazily(_HERE, _PLACES, _layers.missing_without(_OF_TF_SLIM))

__getattr__, __dir__ = _layers.beside(_own, _own_names, _OF_TF_SLIM)
