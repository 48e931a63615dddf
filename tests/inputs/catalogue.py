"""The input files of ``files/``: 2017-style code, each with a function that builds a pipeline.

A function added here is compared by ``test_inputs.py``, through every way into a program of TensorFlow 2.
No TensorFlow here: the programs that are run read this, too.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Callable, Dict, List, Tuple

__all__ = ["FILES", "PIPELINES", "WAYS", "Pipeline"]

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")


@dataclasses.dataclass(frozen=True)
class Pipeline:
    """One function of an input file.

    Attributes:
      place: ``module:function``.
      arguments: from the folder of the data to the function's arguments.
      fits_tensorflow_2: it can be imported in an ordinary way in a program of TensorFlow 2: at the top of its file it
        uses no name that TensorFlow 2 dropped. What its functions use is found while ``as_dataset`` calls them.
      is_shuffled: its elements come in another order each time; one epoch of them is compared, sorted.
    """

    place: str
    arguments: Callable[[str], Tuple[object, ...]] = lambda data: (data,)
    fits_tensorflow_2: bool = True
    is_shuffled: bool = False

    @property
    def module(self) -> str:
        return self.place.partition(":")[0]

    @property
    def function(self) -> str:
        return self.place.partition(":")[2]


PIPELINES: Dict[str, Pipeline] = {
    pipeline.place: pipeline
    for pipeline in (
        Pipeline("began_loader:get_loader", lambda data: (f"{data}/faces", 6, 16, "NCHW"), is_shuffled=True),
        Pipeline("census_csv:inputs"),
        Pipeline("cifar10:distorted_inputs", fits_tensorflow_2=False),
        Pipeline("cifar10_input:distorted_inputs", lambda data: (f"{data}/cifar", 10)),
        Pipeline("cifar10_input:shuffled_inputs", lambda data: (data, 10), is_shuffled=True),
        Pipeline("deeplab_reader:inputs", lambda data: (data, 4)),
        Pipeline("detection_batcher:inputs", fits_tensorflow_2=False),
        Pipeline("facenet_inputs:read_and_augment_data"),
        Pipeline("fully_connected_reader:inputs", fits_tensorflow_2=False, is_shuffled=True),
        Pipeline("im2txt_inputs:build_inputs", lambda data: (f"{data}/captions/train-?", 4)),
        Pipeline("inception_processing:batch_inputs", lambda data: (data, 6)),
        Pipeline("magenta_sequences:melodies"),
        Pipeline("monodepth_dataloader:pairs"),
        Pipeline("parallel_records:parallel_inputs", fits_tensorflow_2=False),
        Pipeline("pix2pix_loader:load_examples"),
        Pipeline("ptb_reader:ptb_producer"),
        Pipeline("resnet_cifar:build_input"),
        Pipeline("siamese_pairs:pairs", fits_tensorflow_2=False),
        Pipeline("slim_flowers:load_batch", fits_tensorflow_2=False),
        Pipeline("svhn_arrays:inputs"),
        Pipeline("text_buckets:bucketed_reviews", fits_tensorflow_2=False),
        Pipeline("wavenet_reader:audio_inputs"),
        Pipeline("youtube8m_readers:get_input_data_tensors", fits_tensorflow_2=False),
    )
}

# How a program of TensorFlow 2 comes to call such a function, and which of them can be called so.
WAYS: Dict[str, List[str]] = {
    "loaded": list(PIPELINES),  # by turns by a string and in a block of tf1_imports
    "plain_import": [place for place, pipeline in PIPELINES.items() if pipeline.fits_tensorflow_2],
    "migrated": list(PIPELINES),
}
