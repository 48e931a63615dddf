"""What workers run on an image: into the batch's memory, or into memory of their own."""

from __future__ import annotations

import pathlib
import pickle

import numpy as np

from queuecompat.loader.images.image_list import ListedImage
from queuecompat.loader.images.loading import CropConfig, LoadCentre, LoadCrop, LoadCrops
from queuecompat.loader.images.means import Mean

from .specimens import encoded, photograph

MAKING = CropConfig(crop=(20, 30), mean=Mean(np.array([1, 2, 3], np.float32), (20, 30)))


def listed(directory: pathlib.Path, name: str, image: np.ndarray) -> ListedImage:
    file = directory / name
    file.write_bytes(encoded(image, "JPEG"))
    return ListedImage(str(file), np.int64(5), "list.txt:1")


def test_an_example_is_written_where_the_batch_has_room_for_it(tmp_path: pathlib.Path) -> None:
    item = listed(tmp_path, "a.jpg", photograph())
    rng = np.random.default_rng
    for load, arguments in ((LoadCentre(MAKING), ()), (LoadCrop(MAKING), (rng(1),))):
        room = np.zeros((20, 30, 3), np.float32), np.zeros((), np.int64)
        image, label = load(item, *arguments, out=room)
        assert image is room[0]
        assert label == 5
        again, _ = load(item, *(rng(1) for _ in arguments))
        np.testing.assert_array_equal(again, image)


def test_two_images_under_way_in_one_thread_do_not_mix(tmp_path: pathlib.Path) -> None:
    items = [listed(tmp_path, "a.jpg", photograph()), listed(tmp_path, "b.jpg", photograph()[::-1])]
    load = LoadCrops(MAKING, 2)
    one_by_one = [[image for image, _ in load(item, np.random.default_rng(1))] for item in items]
    together = list(zip(*(load(item, np.random.default_rng(1)) for item in items)))
    for number, examples in enumerate(zip(*together)):
        for (image, _), expected in zip(examples, one_by_one[number]):
            np.testing.assert_array_equal(image, expected)


def test_a_load_function_goes_to_another_process(tmp_path: pathlib.Path) -> None:
    item = listed(tmp_path, "a.jpg", photograph())
    for load in (LoadCrop(MAKING), LoadCrops(MAKING, 2)):
        mine = load(item, np.random.default_rng(1))
        theirs = pickle.loads(pickle.dumps(load))(item, np.random.default_rng(1))
        mine, theirs = ([example] if isinstance(example, tuple) else list(example) for example in (mine, theirs))
        assert len(mine) == len(theirs)
        for (image, _), (same, _) in zip(mine, theirs):
            np.testing.assert_array_equal(image, same)
