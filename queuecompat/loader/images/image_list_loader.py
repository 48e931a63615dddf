"""``ImageListLoader``: a list of image files, loaded, cropped, mirrored and batched in the background.

Rule 1: all that runs in the background is ``BackgroundLoader``'s: order, queue, workers, failures, state,
        statistics. Here is only what is particular to images.
Rule 2: one seed for everything. An epoch's batches, a sample and the crops in them are functions of it.
"""

from __future__ import annotations

import dataclasses
import operator
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.background import BackgroundLoader
from queuecompat.loader.failures import LoaderClosedError, Skipped
from queuecompat.loader.images.decoders import DECODERS, usable_decoders
from queuecompat.loader.images.dimensions import MAX_PIXELS
from queuecompat.loader.images.image_list import PathLike, list_of, read_list
from queuecompat.loader.images.loading import CropConfig, LoadCentre, LoadCrop, LoadCrops
from queuecompat.loader.images.means import Mean
from queuecompat.loader.images.measuring import UNASKED, mean_to_subtract
from queuecompat.loader.randomness import drawn_seed
from queuecompat.loader.settings import count_of, whole_number
from queuecompat.loader.statistics import Statistics

__all__ = ["ImageListLoader"]

Batch = Tuple[np.ndarray, np.ndarray]

_BATCHES_TO_PART = 16  # that the queue holds, by default, where an image gives several crops


class ImageListLoader:
    """Batches of images and labels from a list of files.

    A batch is ``(images, labels)``: images float32 ``[batch, height, width, 3]``, 0 to 255 less the mean; labels
    int64 ``[batch]``, float32 where the list has fractions, ``[batch, k]`` where it has several a line::

        with queuecompat.ImageListLoader("train.txt", crop=(224, 224), batch_size=64) as loader:
            for epoch in range(90):
                for images, labels in loader:
                    ...

    For training, each image is cropped at random and mirrored half of the time, in new ways every epoch; for testing it
    is cropped from the middle, in the order of the list. Grey, palette, CMYK, 16-bit and other images come as RGB;
    ``queuecompat.loader.images.decoders`` says how.

    Args:
      images: a text file with lines of "path label", or a sequence of pairs.
      crop: height and width of every example, or one number for both, in pixels.
      is_train: whether to shuffle, crop at random and mirror.
      subtract_mean: whether a mean is subtracted.
      mean: what is subtracted: a number, one for each channel, or an image ``[height, width, 3]``, of the crop's size
        or of that of all images. Or what is measured, in a pass over the list when the loader is made: "channels" (the
        default, which a line in the log tells) or "image".
        To test, give the mean that was trained with: ``mean=training.mean``.
      mean_file: a .npy file. Where it is there, the mean is read from it; else it is measured and written to it.
      crops_per_image: takes that many random crops of each image that is loaded, and their mirror images; the shuffle
        queue spreads them over different batches: two of one image share a batch about as often as any two of the
        *capacity* examples that it holds, by default those of 16 batches. With 5 crops, three of ten examples then
        have a second one of their image in the batch; with the room of 80 batches, seven of a hundred.
      mirror: whether training mirrors.
      small: "raise" makes an image smaller than the crop an error; "pad" puts it in the middle of zeros.
      channels: "RGB", or "BGR" as Caffe's models have it; the mean is in the same order.
      decoders: names out of "simplejpeg", "OpenCV" and "Pillow"; by default the fastest that is installed for a file.
      max_pixels: the most that an image may have, by the first bytes of its file: a small file can claim a picture that
        takes gigabytes. By default Pillow's number, 89,478,485; None for any.
      root: the folder that paths start from; by default the list file's, or the working directory for pairs.
      batch_size: for iteration and ``as_dataset``; ``batches`` and ``sample_batches`` take their own.
      seed: for all randomness; drawn, and shown in the repr, if it is not given.
      progress: whether measuring and loading show progress bars.
      options: all others are ``BackgroundLoader``'s: capacity, min_after_dequeue, num_workers, workers, shuffle,
        num_epochs, drop_remainder, copy, on_error, max_errors.
    Attributes:
      images: the list that was read: its paths and labels.
      mean: what is subtracted, float32 ``[3]`` or ``[height, width, 3]``, or None.
      seed: the seed in use.
    Raises:
      FileNotFoundError: there is no such list.
      TypeError: an element of the sequence is no pair (QC623).
      ValueError: a line of the list is not "path label" (QC621); it names no image (QC622); an argument makes no
        sense (QC630, QC601).
      LoadError: an image cannot be used: its cause is a ``BadImageError`` (QC624 to QC629). Out of the loop, or already
        here when a mean is measured. With ``on_error="skip"`` such images are left out and listed in ``skipped``.
    """

    def __init__(
        self,
        images: Union[PathLike, Iterable[Tuple[PathLike, Any]]],
        *,
        crop: Union[int, Tuple[int, int]],
        is_train: bool = True,
        subtract_mean: bool = True,
        mean: Any = UNASKED,
        mean_file: Optional[PathLike] = None,
        crops_per_image: Optional[int] = None,
        mirror: bool = True,
        small: str = "raise",
        channels: str = "RGB",
        decoders: Optional[Sequence[str]] = None,
        max_pixels: Optional[int] = MAX_PIXELS,
        root: Optional[PathLike] = None,
        batch_size: Optional[int] = None,
        seed: Optional[int] = None,
        progress: bool = False,
        **options: Any,
    ) -> None:
        _check_words(small=small, channels=channels, decoders=decoders)
        crops_per_image = _count("crops_per_image", crops_per_image)
        if crops_per_image is not None and not is_train:
            raise _refused("crops_per_image", crops_per_image, "it is for training")
        self.images = read_list(images, root) if isinstance(images, (str, os.PathLike)) else list_of(images, root)
        self.seed = count_of("seed", drawn_seed() if seed is None else seed, least=0, most=(1 << 128) - 1)
        self._is_train = is_train
        self._crops_per_image = crops_per_image
        self._batch_size = batch_size = count_of("batch_size", batch_size, least=1, may_be_none=True)
        self._options = {"shuffle": is_train, **options, "seed": self.seed, "progress": progress}
        num_epochs = self._options.pop("num_epochs", 1)
        self._num_epochs: Optional[int] = count_of("num_epochs", num_epochs, least=1, may_be_none=True)
        self._config = CropConfig(
            crop=_size(crop),
            mirror=mirror,
            pad=small == "pad",
            blue_first=channels == "BGR",
            decoders=None if decoders is None else tuple(decoders),
            max_pixels=_count("max_pixels", max_pixels),
        )
        self.mean: Optional[np.ndarray] = None
        if _wants_mean(subtract_mean, mean, mean_file):
            self.mean = mean_to_subtract(mean, mean_file, self.images, self._config, self._options)
            self._config = dataclasses.replace(self._config, mean=Mean(self.mean, self._config.crop))
        self._is_in_block = False
        self._loaders: Dict[Tuple[int, Optional[int]], BackgroundLoader] = {}
        self._current = self._loader(batch_size, self._num_epochs) if batch_size is not None else None
        self._samples_taken = 0
        self._skipped_in_samples: List[Skipped] = []
        self._is_closed = False

    # Batches.

    def __iter__(self) -> Iterator[Batch]:
        """All the epochs that ``num_epochs`` asks for, one by default, in batches of *batch_size*."""
        return iter(self._used(self._batch_size, self._num_epochs))

    def __len__(self) -> int:
        """The number of batches that iterating gives, as far as no image is left out."""
        return len(self._loader(self._batch_size, self._num_epochs))

    def batches(self, batch_size: Optional[int] = None) -> Iterator[Batch]:
        """One epoch. Each call gives the next one: other crops, in another order.

        Args:
          batch_size: the constructor's by default. Epochs are counted for each size on its own.
        """
        size = count_of("batch_size", batch_size, least=1, may_be_none=True)
        return iter(self._used(self._batch_size if size is None else size, 1))

    def sample_batches(self, batch_size: int, n: int) -> Iterator[Batch]:
        """*n* batches of different images from anywhere in the list: a sample to validate with.

        One example an image, whatever *crops_per_image* says. Each call draws another sample; the k-th call of a
        loader with the same seed draws the same one.

        Raises:
          ValueError: the list has fewer than ``n * batch_size`` images (QC630).
        """
        batch_size, n = int(batch_size), int(n)
        if batch_size < 1 or n < 1 or n * batch_size > len(self.images):
            given = f"{n} of {batch_size} images"
            raise _refused("sample_batches", given, f"the list has {len(self.images)}, and no sample is empty")
        self._check_open()
        rng = np.random.default_rng([self.seed, self._samples_taken])
        self._samples_taken += 1
        chosen = rng.choice(len(self.images), n * batch_size, replace=False)
        load = LoadCrop(self._config) if self._is_train else LoadCentre(self._config)
        options = {**self._options, "shuffle": False, "seed": int(rng.integers(1 << 32))}
        return self._sample(BackgroundLoader(self.images.chosen(chosen), load, batch_size=batch_size, **options))

    def as_dataset(self) -> Any:
        """The same batches as a ``tf.data.Dataset``: see ``BackgroundLoader.as_dataset``."""
        return self._used(self._batch_size, self._num_epochs).as_dataset()

    # What BackgroundLoader knows.

    def state_dict(self) -> Dict[str, Any]:
        """Where the iteration stands that was begun last: a small dict of numbers, for ``load_state_dict``."""
        loader = self._used_last()
        key = next(key for key, one in self._loaders.items() if one is loader)
        state = {"batch_size": key[0], "num_epochs": key[1], "samples_taken": self._samples_taken}
        return {**state, "loader": loader.state_dict()}

    def load_state_dict(self, state: Dict[str, Any]) -> None:
        """The next iteration, by loop or by ``batches``, goes on where *state* was taken, with the same batches.

        Raises:
          ValueError: it is not from an ImageListLoader (QC630), or from one of other data (QC617).
        """
        if not {"batch_size", "num_epochs", "samples_taken", "loader"} <= set(state):
            raise _refused("state", state, "it is not from state_dict() of an ImageListLoader")
        self._samples_taken = state["samples_taken"]
        self._used(state["batch_size"], state["num_epochs"]).load_state_dict(state["loader"])

    def statistics(self) -> Statistics:
        """Of the iterations with the batch size used last: see ``BackgroundLoader.statistics``."""
        return self._used_last().statistics()

    @property
    def skipped(self) -> List[Skipped]:
        """The images that were left out (``on_error="skip"``): see ``BackgroundLoader.skipped``."""
        return [one for loader in self._loaders.values() for one in loader.skipped] + self._skipped_in_samples

    def close(self) -> None:
        """Ends all workers, and waits for them. A second call does nothing."""
        self._is_closed = True
        for loader in self._loaders.values():
            loader.close()

    def __enter__(self) -> ImageListLoader:
        self._is_in_block = True
        for loader in self._loaders.values():
            loader.__enter__()
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        places = "random" if self._is_train else "centre"
        names = ", ".join(row.name for row in usable_decoders(self._config.decoders)) or "none installed"
        mean = "no mean" if self.mean is None else f"mean {_numbers(self.mean.reshape(-1, 3).mean(axis=0))}"
        height, width = self._config.crop
        return (
            f"<ImageListLoader: {len(self.images)} images of {self.images.name}, {places} crops {height}x{width}, "
            f"{mean}, decoders: {names}, seed {self.seed}>"
        )

    # Within.

    def _loader(self, batch_size: Optional[int], num_epochs: Optional[int]) -> BackgroundLoader:
        """The one for batches of this size; made when it is first asked for."""
        if batch_size is None:
            raise _refused("batch_size", None, "it is needed for this; or ask for batches(batch_size)")
        key = batch_size, num_epochs
        if key not in self._loaders:
            options = {**self._options, "num_epochs": num_epochs, "batch_size": batch_size}
            if self._crops_per_image is not None:
                # Enough for the crops of one image to part.
                least = options.get("min_after_dequeue", 0)
                options.setdefault("capacity", least + _BATCHES_TO_PART * batch_size)
            loader = self._loaders[key] = BackgroundLoader(self.images, self._load, **options)
            if self._is_in_block:
                loader.__enter__()  # its worker processes stay from one epoch to the next
        return self._loaders[key]

    @property
    def _load(self) -> Callable[..., Any]:
        if not self._is_train:
            return LoadCentre(self._config)
        if self._crops_per_image is None:
            return LoadCrop(self._config)
        return LoadCrops(self._config, self._crops_per_image)

    def _used(self, batch_size: Optional[int], num_epochs: Optional[int]) -> BackgroundLoader:
        self._check_open()
        self._current = self._loader(batch_size, num_epochs)
        return self._current

    def _used_last(self) -> BackgroundLoader:
        if self._current is None:
            raise _refused("batch_size", None, "nothing was iterated yet")
        return self._current

    def _check_open(self) -> None:
        if self._is_closed:
            raise errors.error(LoaderClosedError, "QC602", what="loader", how="was closed")

    def _sample(self, loader: BackgroundLoader) -> Iterator[Batch]:
        with loader:
            yield from loader
        self._skipped_in_samples += loader.skipped


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.1f}" for value in values)


def _wants_mean(subtract_mean: bool, mean: Any, mean_file: Optional[PathLike]) -> bool:
    """Whether one is subtracted; raises if the arguments contradict each other."""
    if isinstance(mean, str):
        _check_words(mean=mean)
    is_open = mean is None or (isinstance(mean, str) and mean == "channels")
    if not subtract_mean and not (is_open and mean_file is None):
        raise _refused("subtract_mean", False, "a mean is given, too")
    if mean_file is not None and not isinstance(mean, str):
        raise _refused("mean_file", mean_file, "a mean is given, too")
    return subtract_mean


_WORDS = {
    "channels": ("RGB", "BGR"),
    "decoders": tuple(row.name for row in DECODERS),
    "mean": ("channels", "image"),
    "small": ("raise", "pad"),
}


def _check_words(**arguments: Any) -> None:
    for argument, given in arguments.items():
        for word in [given] if isinstance(given, str) else given or ():
            if word not in _WORDS[argument]:
                raise _refused(argument, given, "it has to be " + " or ".join(map(repr, _WORDS[argument])))


def _size(crop: Union[int, Sequence[int]]) -> Tuple[int, int]:
    try:
        height, width = (crop, crop) if isinstance(crop, (int, np.integer)) else crop
        if height < 1 or width < 1:
            raise ValueError
        return operator.index(height), operator.index(width)
    except (TypeError, ValueError):
        raise _refused("crop", crop, "it has to be a height and a width, in pixels") from None


def _count(argument: str, given: Any) -> Optional[int]:
    """*given* as an int, of whatever kind it is; None stays None."""
    count = None if given is None else whole_number(given)
    if given is not None and (count is None or count < 1):
        raise _refused(argument, given, "it has to be a whole number from 1")
    return count


def _refused(argument: str, given: object, problem: str) -> errors.QueueCompatError:
    fields = {"argument": argument, "given": repr(given), "problem": problem}
    return errors.error(errors.QueueCompatValueError, "QC630", **fields)
