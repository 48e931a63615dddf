"""Which packages a program needs besides TensorFlow to run unchanged, as far as the names in it tell.

Rule: TensorFlow 1's copies of Keras 2 and of slim's layers are now separate packages. Whether these are installed, or
      whether an old TensorFlow still includes them, is known only at run time.
"""

from __future__ import annotations

import re
from typing import Iterator, NamedTuple

from queuecompat.contrib.slim._shared import SHARED
from queuecompat.migrate.analysis.mentions import mentions
from queuecompat.migrate.analysis.tf1_files import removed_uses
from queuecompat.migrate.source.parsing import Source
from queuecompat.reference import keras_2

__all__ = ["Need", "needs"]


class Need(NamedTuple):
    """A package, and why it is needed.

    Attributes:
      package: its name for pip.
      name: the first name of TensorFlow 1 in the file that needs it.
    """

    package: str
    name: str


# Patterns of names. Of contrib.layers, metrics and training: what tf-slim has and queuecompat lacks. Of contrib.slim:
# all except the input modules and what slim shares with the other modules. Of contrib.losses: everything.
_PACKAGES = (
    (
        "tf_keras",
        re.compile(
            r"tf\.(layers|nn\.rnn_cell)\.\w+|tf\.contrib\.rnn\.\w*Cell\w*"
            rf"|tf\.estimator\.({'|'.join(keras_2.ESTIMATORS)})\w+"
        ),
    ),
    (
        "tf-slim",
        re.compile(
            r"tf\.contrib\.layers\.(avg_pool\w*|batch_norm|bias_add|conv\w+|dense_to_sparse|dropout|elu|fully_connected|"
            r"GDN|gdn|group_norm|images_to_sequence|instance_norm|layer_norm|legacy_\w+|linear|max_pool\w*|maxout|"
            r"recompute_grad|relu\w*|repeat|RevBlock|rev_block|scale_gradient|separable_conv\w+|sequence_to_images|"
            r"softmax|spatial_softmax|stack|summar\w+|unit_norm)"
            r"|tf\.contrib\.slim\.(?!(data_decoder|data_provider|dataset|dataset_data_provider|parallel_reader|"
            rf"prefetch_queue|python|queues|tfexample_decoder|{'|'.join(SHARED)})\b)\w+(\.\w+)*"
            r"|tf\.contrib\.losses\.\w+(\.\w+)*"
            r"|tf\.contrib\.metrics\.(auc_\w+|cohen_kappa|count|f1_score|precision_\w+|recall_at_precision|"
            r"sparse_recall_at_top_k|streaming_(concat|covariance|curve_points|dynamic_auc|false_\w+_rate\w*|"
            r"pearson_correlation|recall_at_k|sparse_\w+_at_top_k))"
            r"|tf\.contrib\.training\.(StopAfterNEvalsHook|SummaryAtEndHook|add_gradients_summaries|clip_gradient_\w+|"
            r"create_train_op|evaluate_\w+|get_or_create_eval_step|multiply_gradients|train|wait_for_new_checkpoint)"
        ),
    ),
)


def needs(source: Source) -> Iterator[Need]:
    """The packages that *source* needs, each once."""
    # A removed name has to be changed by hand; its finding says how.
    symbols = [use.meaning.symbol for use in source.once(mentions) if use.row.status != "gone"]
    found = (source.names.tensorflow(node) for node in source.once(removed_uses))
    symbols += [one.symbol for one in found if one is not None]
    for package, pattern in _PACKAGES:
        first = next((one for one in symbols if pattern.fullmatch(one)), None)
        if first is not None:
            yield Need(package, first)
