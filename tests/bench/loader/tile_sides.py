"""The sides of the JPEG tiles: each loads, crops, mirrors, converts and batches the same files in its own way.

Rule 1: every side outputs batches of ``BATCH_SIZE`` float32 images ``[224, 224, 3]`` and their int64 labels, reshuffled
        every epoch, endlessly: random crops, half of them mirrored.
Rule 2: the sides in Python share one load function, ours: the benchmark compares how well they keep the cores busy, not
        how fast their users' code slices arrays. Those on tf.data use its own decoder.
Rule 3: each is written as its own guide recommends, all with the same number of workers if it can be set (those on
        tf.data choose it themselves), and with workers kept from epoch to epoch if that can be chosen.
Rule 4: packages are imported inside the sides: a process runs one side, and imports only what that side needs.
"""

from __future__ import annotations

import itertools
from concurrent import futures
from typing import Any, Callable, Dict, Iterator, List, Sequence, Tuple

import numpy as np

from queuecompat.loader.images.image_list import ImageList, ListedImage
from queuecompat.loader.images.loading import CropConfig, LoadCrop

__all__ = ["BATCH_SIZE", "CROP", "SIDES", "WORKERS"]

BATCH_SIZE = 64
CROP = 224  # pixels a side
WORKERS = 2

Batch = Tuple[Any, Any]
Files = ImageList

LOAD = LoadCrop(CropConfig(crop=(CROP, CROP)))


def _whole_batches(files: Files, rng: np.random.Generator) -> Iterator[List[ListedImage]]:
    """The items of each batch, for ever; what remains at the end of an epoch is dropped."""
    while True:
        order = rng.permutation(len(files))
        for start in range(0, len(files) - BATCH_SIZE + 1, BATCH_SIZE):
            yield [files[index] for index in order[start : start + BATCH_SIZE]]


def _stacked(examples: Sequence[Tuple[np.ndarray, Any]]) -> Batch:
    return np.stack([image for image, _ in examples]), np.array([label for _, label in examples])


def ours(files: Files, workers: int) -> Iterator[Batch]:
    return _ours(files, workers, "threads")


def ours_in_processes(files: Files, workers: int) -> Iterator[Batch]:
    return _ours(files, workers, "processes")


def _ours(files: Files, count: int, workers: str) -> Iterator[Batch]:
    import queuecompat

    with queuecompat.ImageListLoader(
        list(zip(files.paths, files.labels)),
        crop=CROP,
        subtract_mean=False,
        batch_size=BATCH_SIZE,
        drop_remainder=True,
        num_workers=count,
        workers=workers,
        num_epochs=None,
    ) as loader:
        yield from loader


def one_thread(files: Files, _workers: int) -> Iterator[Batch]:
    rng = np.random.default_rng()
    for items in _whole_batches(files, rng):
        yield _stacked([LOAD(item, rng) for item in items])


def one_thread_in_place(files: Files, _workers: int) -> Iterator[Batch]:
    """The same without an array that is allocated: no page is new, which takes half of the time of the above."""
    rng = np.random.default_rng()
    images = np.empty((BATCH_SIZE, CROP, CROP, 3), np.float32)
    for items in _whole_batches(files, rng):
        labels = [LOAD(item, rng, out=(image, None))[1] for item, image in zip(items, images)]
        yield images, np.array(labels)


def thread_pool(files: Files, workers: int) -> Iterator[Batch]:
    """The executor with one batch under way while another one is used."""
    rngs = [np.random.default_rng() for _ in range(BATCH_SIZE)]
    with futures.ThreadPoolExecutor(workers) as pool:
        batches = _whole_batches(files, np.random.default_rng())
        coming = [pool.map(LOAD, items, rngs) for items in itertools.islice(batches, 2)]
        for items in batches:
            yield _stacked(list(coming.pop(0)))
            coming.append(pool.map(LOAD, items, rngs))


def pytorch(files: Files, workers: int) -> Iterator[Batch]:
    import torch
    import torch.utils.data

    class Tiles(torch.utils.data.Dataset):
        rng = None

        def __len__(self) -> int:
            return len(files)

        def __getitem__(self, index: int) -> Tuple[np.ndarray, int]:
            if self.rng is None:
                self.rng = np.random.default_rng()
            image, label = LOAD(files[index], self.rng)
            return image, int(label)

    loader = torch.utils.data.DataLoader(
        Tiles(), batch_size=BATCH_SIZE, shuffle=True, num_workers=workers, drop_last=True, persistent_workers=True
    )
    while True:
        yield from loader


def grain(files: Files, workers: int) -> Iterator[Batch]:
    import grain

    class Crop(grain.transforms.RandomMap):
        def random_map(self, element: int, rng: np.random.Generator) -> Tuple[np.ndarray, Any]:
            return LOAD(files[element], rng)

    tiles = grain.MapDataset.range(len(files)).seed(1).shuffle().repeat().random_map(Crop())
    batches = tiles.batch(BATCH_SIZE, drop_remainder=True)
    # On two cores, its sixteen threads by default take a third longer.
    return iter(batches.to_iter_dataset(grain.ReadOptions(num_threads=workers, prefetch_buffer_size=2 * workers)))


def spdl(files: Files, workers: int) -> Iterator[Batch]:
    from spdl.pipeline import PipelineBuilder

    rng = np.random.default_rng()

    def load(item: ListedImage) -> Tuple[np.ndarray, Any]:
        return LOAD(item, np.random.default_rng())

    def items() -> Iterator[ListedImage]:
        for batch in _whole_batches(files, rng):
            yield from batch

    # In the order of completion, its default, an epoch would reach into the batches of another.
    builder = PipelineBuilder().add_source(items()).pipe(load, concurrency=workers, output_order="input")
    builder = builder.aggregate(BATCH_SIZE, drop_last=True).pipe(_stacked).add_sink(2)
    pipeline = builder.build(num_threads=workers + 1)  # one puts batches together
    with pipeline.auto_stop():
        yield from pipeline.get_iterator()


def _tf_data(files: Files, image_of: Callable[[Any, Any], Any]) -> Iterator[Batch]:
    import tensorflow as tf

    tiles = tf.data.Dataset.from_tensor_slices((files.paths, files.labels)).shuffle(len(files)).repeat()
    tiles = tiles.map(lambda path, label: (image_of(tf, path), label), num_parallel_calls=tf.data.AUTOTUNE)
    return iter(tiles.batch(BATCH_SIZE, drop_remainder=True).prefetch(tf.data.AUTOTUNE))


def tf_data(files: Files, _workers: int) -> Iterator[Batch]:
    """What TensorFlow's guides lead to."""

    def image_of(tf: Any, path: Any) -> Any:
        image = tf.image.decode_jpeg(tf.io.read_file(path), channels=3)
        image = tf.image.random_flip_left_right(tf.image.random_crop(image, [CROP, CROP, 3]))
        return tf.cast(image, tf.float32)

    return _tf_data(files, image_of)


def tf_data_cropped(files: Files, _workers: int) -> Iterator[Batch]:
    """The same by someone who knows the op that decodes no more than the crop."""

    def image_of(tf: Any, path: Any) -> Any:
        contents = tf.io.read_file(path)
        height, width, _ = tf.unstack(tf.image.extract_jpeg_shape(contents))
        top = tf.random.uniform([], 0, height - CROP + 1, dtype=tf.int32)
        left = tf.random.uniform([], 0, width - CROP + 1, dtype=tf.int32)
        image = tf.image.decode_and_crop_jpeg(contents, tf.stack([top, left, CROP, CROP]), channels=3)
        image = tf.image.random_flip_left_right(tf.ensure_shape(image, [CROP, CROP, 3]))
        return tf.cast(image, tf.float32)

    return _tf_data(files, image_of)


SIDES: Dict[str, Callable[[Files, int], Iterator[Batch]]] = {
    "ours": ours,
    "ours, in processes": ours_in_processes,
    "one thread": one_thread,
    "one thread, in place": one_thread_in_place,
    "thread pool": thread_pool,
    "PyTorch": pytorch,
    "Grain": grain,
    "SPDL": spdl,
    "tf.data": tf_data,
    "tf.data, cropped": tf_data_cropped,
}
