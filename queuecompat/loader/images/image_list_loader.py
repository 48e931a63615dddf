"""``ImageListLoader``: a list of image files, loaded, cropped, mirrored and batched in the background.

Rule 1: ``BackgroundLoader`` does everything that is not specific to images: order, queue, workers, failures, state,
        statistics.
Rule 2: there is one seed for everything. The batches of an epoch, samples, and the crops in them are functions of it.
"""

from __future__ import annotations

import copy
import dataclasses
import inspect
import os
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from queuecompat import errors
from queuecompat.loader.background import BackgroundLoader
from queuecompat.loader.failures import LoaderClosedError, Skipped
from queuecompat.loader.images.arguments import (
    area_argument,
    cache_argument,
    check_order,
    check_words,
    count_argument,
    crops_argument,
    pixel_format,
    refused,
    resize_argument,
    size_argument,
    wants_mean,
)
from queuecompat.loader.images.classes import Classes
from queuecompat.loader.images.decoders import usable_decoders
from queuecompat.loader.images.dimensions import MAX_PIXELS
from queuecompat.loader.images.image_list import PathLike, images_of
from queuecompat.loader.images.loading import CropConfig, LoadCentre, LoadCentreAtRandom, LoadCrop, LoadCrops
from queuecompat.loader.images.means import Mean
from queuecompat.loader.images.measuring import UNASKED, mean_to_subtract
from queuecompat.loader.metrics.statistics import Statistics
from queuecompat.loader.metrics.timeline import Timeline
from queuecompat.loader.order.order import balanced_weights
from queuecompat.loader.order.randomness import drawn_seed
from queuecompat.loader.run.epoch_run import require_process
from queuecompat.loader.settings import count_of, flag_of, shown, whole_number
from queuecompat.plurals import counted

__all__ = ["ImageListLoader"]

Batch = Tuple[np.ndarray, np.ndarray]

# The options that decide which images come. ``sample_batches`` does not use them: it chooses images itself.
_OF_ORDER = ("sampler", "weights", "replacement", "draws", "shard", "bucket_by", "bucket_boundaries")
_BATCHES_TO_PART = 16  # the default capacity in batches, above min_after_dequeue, if an image has several crops


class ImageListLoader:
    """Batches of images and labels from a list of files.

    A batch is ``(images, labels)``: images float32 ``[batch, height, width, 3]``, 0 to 255 minus the mean; labels
    int64 ``[batch]``, or float32 if the list has fractions, or ``[batch, k]`` if it has k labels per line::

        with queuecompat.ImageListLoader("train.txt", crop=(224, 224), batch_size=64) as loader:
            for epoch in range(90):
                for images, labels in loader:
                    ...

    For training, each image is cropped at random and mirrored half of the time, differently in every epoch; for testing
    it is cropped from the middle, in the order of the list. Grey, palette, CMYK, 16-bit and other images become RGB;
    ``queuecompat.loader.images.decoders`` says how.

    Args:
      images: a text file with lines of "path label"; a folder with a subfolder of images for each class; a sequence of
        either, whose images are joined; or a sequence of pairs of a path and a label.
      crop: height and width of every example, or one number for both, in pixels.
      is_train: whether to shuffle, crop at random and mirror.
      subtract_mean: whether a mean is subtracted.
      mean: the mean to subtract: a number, one number for each channel, or an image ``[height, width, 3]`` of the
        crop's size, or of the size of all images. Or the kind of mean to measure, in a pass over the list when the
        loader is made: "channels" (the default, which is logged) or "image".
        To test, pass the mean that was used in training: ``mean=training.mean``.
      mean_file: a .npy file. If it exists, the mean is read from it; otherwise it is measured and written to it. The
        mean in the file has the order of *channels* with which it was measured.
      crops_per_image: takes this number of random crops of each image that is loaded, and their mirror images. The
        shuffle buffer spreads them over different batches: two crops of one image share a batch about as often as any
        two of the *capacity* examples that it holds, by default those of 16 batches. With 5 crops, three of ten
        examples then share their batch with a second example of their image; with a capacity of 80 batches, seven of a
        hundred.
      crops_apart: "shuffle", as above; or "delay", a fixed rule by which no batch has two crops of one image if there
        are at least *batch_size* images. See ``examples_per_item`` of ``BackgroundLoader``.
      mirror: whether crops are mirrored in training.
      resize: resizes images before anything else: to this length of the shorter side, or to this height and width.
        Pillow resizes them, bilinearly, and averages when it makes an image smaller.
      crop_area: for training, takes a random part of the image and resizes it to *crop*: the smallest and the largest
        share of the image's area, such as (0.08, 1).
      crop_ratio: with *crop_area*, the smallest and the largest width divided by height; by default 3/4 and 4/3.
      transform: changes each crop: ``transform(crop)`` or ``transform(crop, rng)`` gets uint8 ``[*crop, 3]``, red
        first, and returns an array of the same shape and dtype; *rng* is the item's. Called after cropping and
        mirroring, and before the mean, *scale* and *std*.
      scale: pixels are multiplied by this number, after the mean is subtracted.
      std: pixels are then divided by this: a number, or one for each channel, in the order of *channels*.
      dtype: "float32"; or "uint8", without a mean.
      layout: "HWC": ``[height, width, 3]``; "CHW": ``[3, height, width]``.
      classes: for labels that are words: "sorted" numbers the words in sorted order; a list of names numbers them in
        the order of the list. For folders and pairs it is needed only to set the order: ``classes=training.classes`` to
        test.
      small: "raise" makes an image smaller than the crop an error; "pad" surrounds it with zeros.
      channels: "RGB"; or "BGR", as in Caffe's models. The mean has the same order.
      decoders: names out of "simplejpeg", "OpenCV" and "Pillow"; by default, for each file, the fastest installed one.
      max_pixels: the maximum number of pixels of an image, both by the first bytes of its file and after *resize*,
        because a small file can claim, or become, a picture that takes gigabytes. By default Pillow's number,
        89,478,485; None for no limit.
      cache_bytes: memory, in bytes, for decoded and resized images: as many as fit are kept, and only cropped in later
        epochs. The others are decoded each time. Only for threads.
      root: the folder that relative paths start from; by default the list file's folder, or the working directory for
        pairs.
      batch_size: for iteration and ``as_dataset``; ``batches`` and ``sample_batches`` take their own.
      seed: the seed of all random numbers; if it is None, one is drawn, and shown in the repr.
      progress: whether measuring and loading show progress bars.
      options: all other options are those of ``BackgroundLoader``, such as capacity, num_workers, workers, shuffle,
        sampler, shard, num_epochs, drop_remainder, batch_transform, output, on_error. ``weights="balanced"`` draws all
        classes equally often.
    Attributes:
      images: the list that was read: its paths and labels.
      classes: the names of the classes, by number; None if labels are numbers.
      mean: the mean that is subtracted, float32 ``[3]`` or ``[height, width, 3]``, or None.
      seed: the seed in use.
      cache: with *cache_bytes*, a ``MemoryCache``; ``cache.statistics()`` says how much it holds, and how often it was
        used.
    Raises:
      FileNotFoundError: there is no such list.
      TypeError: an element of the sequence is not a pair (QC623).
      ValueError: a line of the list is not "path label" (QC621); the list names no image (QC622); an argument makes no
        sense (QC630, QC601); a label is not one of *classes* (QC640).
      LoadError: an image cannot be used; the cause is a ``BadImageError`` (QC624 to QC629, QC631). Raised in the loop,
        or here if a mean is measured. With ``on_error="skip"`` such images are skipped and listed in ``skipped``.
    """

    def __init__(
        self,
        images: Union[PathLike, Iterable[PathLike], Iterable[Tuple[PathLike, Any]]],
        *,
        crop: Union[int, Tuple[int, int]],
        is_train: bool = True,
        subtract_mean: bool = True,
        mean: Any = UNASKED,
        mean_file: Optional[PathLike] = None,
        crops_per_image: Optional[int] = None,
        crops_apart: str = "shuffle",
        mirror: bool = True,
        resize: Union[int, Tuple[int, int], None] = None,
        crop_area: Optional[Tuple[float, float]] = None,
        crop_ratio: Optional[Tuple[float, float]] = None,
        transform: Optional[Callable[..., np.ndarray]] = None,
        scale: float = 1.0,
        std: Any = None,
        dtype: Any = "float32",
        layout: str = "HWC",
        classes: Classes = None,
        small: str = "raise",
        channels: str = "RGB",
        decoders: Optional[Sequence[str]] = None,
        max_pixels: Optional[int] = MAX_PIXELS,
        cache_bytes: Optional[int] = None,
        root: Optional[PathLike] = None,
        batch_size: Optional[int] = None,
        seed: Optional[int] = None,
        progress: bool = False,
        **options: Any,
    ) -> None:
        _check_options(options)
        is_train, mirror = flag_of("is_train", is_train), flag_of("mirror", mirror)
        subtract_mean = flag_of("subtract_mean", subtract_mean)
        check_words(small=small, channels=channels, decoders=decoders)
        crops_per_image = crops_argument(crops_per_image, crops_apart, is_train)
        self._is_delayed = crops_apart == "delay"
        if isinstance(classes, str):
            check_words(classes=classes)
        check_order(images=images, classes=classes)
        self.images = images_of(images, root, classes)
        self.classes = self.images.classes
        self.seed = count_of("seed", drawn_seed() if seed is None else seed, least=0, most=(1 << 128) - 1)
        self._is_train = is_train
        self._crops_per_image = crops_per_image
        self._batch_size = batch_size = count_of("batch_size", batch_size, least=1, may_be_none=True)
        options = _with_weights(options, self.images.labels)
        shuffles = is_train and options.get("sampler") is None
        self._options = {"shuffle": shuffles, **options, "seed": self.seed, "progress": progress}
        num_epochs = self._options.pop("num_epochs", 1)
        self._num_epochs: Optional[int] = count_of("num_epochs", num_epochs, least=1, may_be_none=True)
        self._config = CropConfig(
            crop=size_argument(crop),
            mirror=mirror,
            pad=small == "pad",
            blue_first=channels == "BGR",
            decoders=None if decoders is None else tuple(decoders),
            max_pixels=count_argument("max_pixels", max_pixels),
            resize=resize_argument(resize),
            area=area_argument(crop_area, crop_ratio, is_train),
            pixels=pixel_format(transform, scale, std, dtype, layout),
        )
        if cache_bytes is not None:
            self._config = self._config.with_cache(cache_argument(cache_bytes, options.get("workers", "threads")))
        self.cache = self._config.cache
        self.mean = self._mean(subtract_mean, mean, mean_file)
        if self.mean is not None:
            self._config = dataclasses.replace(self._config, mean=Mean(self.mean, self._config.crop))
        self._is_in_block = False
        self._loaders: Dict[Tuple[int, Optional[int]], BackgroundLoader] = {}
        self._current = self._loader(batch_size, self._num_epochs) if batch_size is not None else None
        self._samples_taken = 0
        self._skipped_in_samples: List[Skipped] = []
        self._is_closed = False
        self._process: Optional[int] = None  # id of the process that started workers; None before the first iteration

    def __getstate__(self) -> Dict[str, Any]:
        """A copy (``pickle``, ``copy``) has the same images, arguments and seed, and goes on from the same position."""
        loaders = {key: copy.copy(one) for key, one in self._loaders.items()}
        current = next((loaders[key] for key, one in self._loaders.items() if one is self._current), None)
        fresh = {"_process": None, "_is_in_block": False, "_is_closed": False}
        return {**vars(self), **fresh, "_loaders": loaders, "_current": current}

    # Batches.

    def __iter__(self) -> Iterator[Batch]:
        """Iterates over *num_epochs* epochs, one by default, in batches of *batch_size*."""
        return iter(self._used(self._batch_size, self._num_epochs))

    def __len__(self) -> int:
        """Returns the number of batches per iteration, provided that no image is skipped."""
        return len(self._loader(self._batch_size, self._num_epochs))

    def batches(self, batch_size: Optional[int] = None) -> Iterator[Batch]:
        """Returns the batches of one epoch. Each call returns the next epoch, with new crops in a new order.

        Args:
          batch_size: by default that of the constructor. Epochs are counted separately for each size.
        """
        size = count_of("batch_size", batch_size, least=1, may_be_none=True)
        return iter(self._used(self._batch_size if size is None else size, 1))

    def sample_batches(self, batch_size: int, n: int) -> Iterator[Batch]:
        """Returns *n* batches of different images, drawn at random from the list: a sample for validation.

        There is one example per image, whatever *crops_per_image* says. Each call draws a new sample; with the same
        seed, the k-th call always draws the same sample.

        Raises:
          ValueError: the list has fewer than ``n * batch_size`` images (QC630).
        """
        given = f"{n} of {batch_size} images"
        batch_size, n = count_argument("batch_size", batch_size) or 0, count_argument("n", n) or 0
        if not 1 <= n * batch_size <= len(self.images):
            raise refused("sample_batches", given, f"the list has {len(self.images)}, and a sample at least one image")
        self._check_open()
        self._process = os.getpid()
        rng = np.random.default_rng([self.seed, self._samples_taken])
        self._samples_taken += 1
        chosen = rng.choice(len(self.images), n * batch_size, replace=False)
        load = LoadCrop(self._config) if self._is_train else self._load
        options = {name: value for name, value in self._options.items() if name not in _OF_ORDER}
        options = {**options, "shuffle": False, "seed": int(rng.integers(1 << 32))}
        return self._sample(BackgroundLoader(self.images.chosen(chosen), load, batch_size=batch_size, **options))

    def as_dataset(self) -> Any:
        """Returns the same batches as a ``tf.data.Dataset``: see ``BackgroundLoader.as_dataset``."""
        return self._used(self._batch_size, self._num_epochs).as_dataset()

    # Passed on to BackgroundLoader.

    def state_dict(self) -> Dict[str, Any]:
        """Returns the position of the iteration that was begun last: a small dict, for ``load_state_dict``."""
        loader = self._used_last()
        key = next(key for key, one in self._loaders.items() if one is loader)
        state = {"batch_size": key[0], "num_epochs": key[1], "samples_taken": self._samples_taken}
        return {**state, "loader": loader.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Makes the next iteration, by loop or by ``batches``, go on where *state* was taken, with the same batches.

        Raises:
          ValueError: *state* is not from an ImageListLoader (QC630), or from one with different data (QC617).
        """
        numbers = _numbers_of_state(state)
        self._check_open()
        loader = self._loader(numbers["batch_size"], numbers["num_epochs"])
        loader.load_state_dict(state["loader"])
        self._current = loader
        self._samples_taken = numbers["samples_taken"] or 0

    def statistics(self) -> Statistics:
        """Returns the statistics of all iterations with the last batch size: see ``BackgroundLoader.statistics``."""
        return self._used_last().statistics()

    def timeline(self) -> Timeline:
        """Returns the timeline of the same iterations: see ``BackgroundLoader.timeline``."""
        return self._used_last().timeline()

    @property
    def skipped(self) -> List[Skipped]:
        """The images that were skipped (``on_error="skip"``): see ``BackgroundLoader.skipped``."""
        return [one for loader in self._loaders.values() for one in loader.skipped] + self._skipped_in_samples

    def close(self) -> None:
        """Ends all workers, and waits for them. Does nothing when called again."""
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
        images = f"{counted(len(self.images), 'image')} of {self.images.name}"
        return (
            f"<ImageListLoader: {images}, {places} crops {height}x{width}, {mean}, decoders: {names}, seed {self.seed}>"
        )

    # Internal.

    def _mean(self, subtract_mean: bool, mean: Any, mean_file: Optional[PathLike]) -> Optional[np.ndarray]:
        """Returns the mean to subtract from each image, or None; measures it if necessary."""
        if self._config.pixels.dtype == "uint8":
            if not (mean is UNASKED or mean is None) or mean_file is not None:
                raise refused("dtype", "uint8", "subtracting a mean converts the pixels to floats")
            return None
        if not wants_mean(subtract_mean, mean, mean_file):
            return None
        found = mean_to_subtract(mean, mean_file, self.images, self._config, self._options)
        if self._config.area is not None and found.ndim == 3 and found.shape[:2] != self._config.crop:
            raise refused("mean", f"an image of {found.shape[:2]}", "with crop_area it must be of the crop's size")
        return found

    def _loader(self, batch_size: Optional[int], num_epochs: Optional[int]) -> BackgroundLoader:
        """Returns the ``BackgroundLoader`` for batches of this size and passes of *num_epochs* epochs; makes it on the
        first call."""
        if batch_size is None:
            raise refused("batch_size", None, "it is required here; or call batches(batch_size)")
        key = batch_size, num_epochs
        if key not in self._loaders:
            options = {**self._options, "num_epochs": num_epochs, "batch_size": batch_size}
            if self._crops_per_image is not None and self._is_delayed:
                options["examples_per_item"] = self._crops_per_image * (1 + self._config.mirror)
            elif self._crops_per_image is not None:
                # Large enough to spread the crops of one image over different batches.
                least = options.get("min_after_dequeue", 0)
                options.setdefault("capacity", least + _BATCHES_TO_PART * batch_size)
            loader = self._loaders[key] = BackgroundLoader(self.images, self._load, **options)
            if self._is_in_block:
                loader.__enter__()  # its worker processes stay from one epoch to the next
        return self._loaders[key]

    @property
    def _load(self) -> Callable[..., Any]:
        if not self._is_train:
            return LoadCentreAtRandom(self._config) if self._config.pixels.takes_rng else LoadCentre(self._config)
        if self._crops_per_image is None:
            return LoadCrop(self._config)
        return LoadCrops(self._config, self._crops_per_image)

    def _used(self, batch_size: Optional[int], num_epochs: Optional[int]) -> BackgroundLoader:
        self._check_open()
        self._process = os.getpid()
        self._current = self._loader(batch_size, num_epochs)
        return self._current

    def _used_last(self) -> BackgroundLoader:
        if self._current is None:
            raise refused("batch_size", None, "nothing has been iterated over yet")
        return self._current

    def _check_open(self) -> None:
        if self._is_closed:
            raise errors.error(LoaderClosedError, "QC602", what="loader", how="was closed")
        require_process(self._process)

    def _sample(self, loader: BackgroundLoader) -> Iterator[Batch]:
        with loader:
            yield from loader
        self._skipped_in_samples += loader.skipped


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{value:.1f}" for value in values)


def _check_options(options: Iterable[str]) -> None:
    """Raises TypeError for an unknown option before the list is read and a mean is measured. The error names
    ``ImageListLoader``, the class that the user called."""
    known = [name for name in inspect.signature(BackgroundLoader).parameters if name not in ("source", "load")]
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        raise TypeError(f"ImageListLoader() got an unexpected keyword argument {unknown!r}")


def _with_weights(options: Dict[str, Any], labels: np.ndarray) -> Dict[str, Any]:
    """Returns *options*, with ``weights="balanced"`` replaced by the weights of the images."""
    if not isinstance(options.get("weights"), str):
        return options
    if options["weights"] != "balanced" or labels.ndim != 1:
        raise refused("weights", options["weights"], "it must be an array, or 'balanced' if each image has one label")
    return {**options, "weights": balanced_weights(labels)}


def _numbers_of_state(state: Any) -> Dict[str, Optional[int]]:
    """Returns the fields of *state* that are numbers.

    Raises:
      QueueCompatValueError: QC630, *state* does not have exactly these fields, and one for the ``BackgroundLoader``;
        QC617, a field is not such a number.
    """
    fields = {"batch_size": 1, "num_epochs": 1, "samples_taken": 0}
    if not isinstance(state, Mapping) or {*fields, "loader"} != set(state):
        raise refused("state", state, "it is not from state_dict() of an ImageListLoader")
    numbers = {name: whole_number(state[name]) for name in fields}
    for name, least in fields.items():
        number, may_be_none = numbers[name], name == "num_epochs" and state[name] is None
        if not may_be_none and (number is None or not least <= number < 1 << 63):
            raise errors.error(errors.QueueCompatValueError, "QC617", what=f"has {name}={shown(state[name])}")
    return numbers
