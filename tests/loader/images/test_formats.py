"""Resizing, random parts, transforms, numbers and axes of ``ImageListLoader``; labels that are words."""

from __future__ import annotations

import collections
import json
import pathlib
from typing import Any, List

import numpy as np
import pytest
from PIL import Image

import queuecompat
from queuecompat import errors
from queuecompat.loader.failures import LoadError
from queuecompat.loader.images import loading
from queuecompat.loader.images.crops import Window
from queuecompat.loader.images.loading import CropConfig
from queuecompat.loader.images.means import Mean
from queuecompat.loader.images.resizing import Area, random_part

from .specimens import encoded, photograph

COUNT = 12


def picture(number: int) -> np.ndarray:
    """uint8 ``[20, 30, 3]``, different for each number."""
    return np.ascontiguousarray(photograph()[number : number + 20, 2 * number : 2 * number + 30])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """Folders of classes: eight cats, three dogs, and a bee in a folder of its own below; and lists of them."""
    root = tmp_path_factory.mktemp("classes")
    names = ["cat"] * 8 + ["dog"] * 3 + ["bee/small"]
    for number, name in enumerate(names):
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / f"{number:02}.png").write_bytes(encoded(picture(number), "PNG"))
        (root / name / "notes.md").write_text("no image")
    return root


def pairs(folder: pathlib.Path) -> List[Any]:
    return [(path, int(path.stem)) for path in sorted(folder.rglob("*.png"), key=lambda path: path.stem)]


def loader(images: Any, **arguments: Any) -> Any:
    plain = {"crop": (12, 16), "subtract_mean": False, "batch_size": 4, "seed": 3, "num_workers": 2, "is_train": False}
    return queuecompat.ImageListLoader(images, **{**plain, **arguments})


def images_of(loader: Any) -> np.ndarray:
    return np.concatenate([images for images, _ in loader])


def labels_of(loader: Any) -> List[Any]:
    return np.concatenate([labels for _, labels in loader]).tolist()


def noisy(crop: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return crop ^ rng.integers(16, dtype=np.uint8)


# Sizes.


@pytest.mark.parametrize(("resize", "size"), [(16, (16, 24)), ((14, 18), (14, 18)), (np.int64(40), (40, 60))])
def test_images_are_resized_as_pillow_does_before_the_crop(folder: pathlib.Path, resize: Any, size: Any) -> None:
    images = images_of(loader(pairs(folder), resize=resize))
    for number in range(COUNT):
        whole = np.asarray(Image.fromarray(picture(number)).resize(size[::-1], Image.BILINEAR))
        top, left = (size[0] - 12) // 2, (size[1] - 16) // 2
        np.testing.assert_array_equal(images[number], whole[top : top + 12, left : left + 16])


def test_a_measured_mean_is_that_of_the_resized_images(folder: pathlib.Path) -> None:
    made = loader(pairs(folder), subtract_mean=True, mean="image", resize=(12, 16))
    small = [np.asarray(Image.fromarray(picture(number)).resize((16, 12), Image.BILINEAR)) for number in range(COUNT)]
    np.testing.assert_allclose(made.mean, np.mean(small, axis=0), atol=1e-3)


def test_random_parts_have_the_shares_and_ratios_that_were_asked_for() -> None:
    rng = np.random.default_rng(0)
    parts = [random_part((400, 600), Area((0.2, 0.5), (0.5, 2)), mirror=True, rng=rng) for _ in range(500)]
    for left, top, right, bottom in (part.box for part in parts):
        assert 0 <= left < right <= 600
        assert 0 <= top < bottom <= 400
        assert 0.19 < (right - left) * (bottom - top) / 240_000 < 0.51
        assert 0.49 < (right - left) / (bottom - top) < 2.01
    assert 200 < sum(part.is_mirrored for part in parts) < 300
    assert len({part.box for part in parts}) > 400


def test_where_no_part_fits_the_largest_is_taken_from_the_middle() -> None:
    part = random_part((10, 1000), Area((0.9, 1), (1, 1.5)), mirror=False, rng=np.random.default_rng(0))
    assert part.box == (492, 0, 507, 10)


def test_random_parts_become_crops_that_a_resume_repeats(folder: pathlib.Path) -> None:
    arguments: Any = dict(is_train=True, crop_area=(0.1, 1), num_epochs=2)
    made = loader(pairs(folder), **arguments)
    batches = iter(made)
    next(batches)
    state = json.loads(json.dumps(made.state_dict()))
    rest = list(batches)
    again = loader(pairs(folder), **arguments, workers="processes", num_workers=1)
    again.load_state_dict(state)
    for (images, labels), (same_images, same_labels) in zip(rest, list(again)):
        assert images.shape[1:] == (12, 16, 3)
        np.testing.assert_array_equal(images, same_images)
        np.testing.assert_array_equal(labels, same_labels)


def test_an_image_smaller_than_the_crop_can_have_random_parts(folder: pathlib.Path) -> None:
    assert images_of(loader(pairs(folder), is_train=True, crop_area=(0.1, 1), crop=64)).shape == (COUNT, 64, 64, 3)
    with pytest.raises(LoadError, match="QC627"):
        images_of(loader(pairs(folder), crop=64))


# Numbers and axes.


def test_the_steps_are_done_in_the_order_of_the_guide(folder: pathlib.Path) -> None:
    mean, std = [1, 2, 3], [4, 5, 6]

    def inverted(crop: np.ndarray) -> np.ndarray:
        assert crop.dtype == np.uint8
        return 255 - crop

    made = loader(
        pairs(folder), transform=inverted, channels="BGR", subtract_mean=True, mean=mean, scale=2, std=std, layout="CHW"
    )
    images = images_of(made)
    assert images.shape == (COUNT, 3, 12, 16)
    crop = picture(5)[4:16, 7:23].astype(np.float64)
    expected = ((255 - crop)[..., ::-1] - mean) * 2 / std
    np.testing.assert_allclose(images[5], expected.transpose(2, 0, 1), rtol=1e-5)


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
@pytest.mark.parametrize("dtype", ["uint8", np.uint8, np.dtype("uint8")])
def test_bytes_are_left_as_they_are(folder: pathlib.Path, dtype: Any, layout: str) -> None:
    images = images_of(loader(pairs(folder), subtract_mean=True, dtype=dtype, layout=layout))
    assert images.dtype == np.uint8
    expected = picture(3)[4:16, 7:23]
    np.testing.assert_array_equal(images[3], expected if layout == "HWC" else expected.transpose(2, 0, 1))


@pytest.mark.parametrize("layout", ["HWC", "CHW"])
def test_padding_is_zero_after_all_steps(layout: str) -> None:
    config = CropConfig((6, 8), mean=Mean(np.ones(3, np.float32), (6, 8)), pad=True)
    config = config.__class__(**{**vars(config), "pixels": config.pixels.__class__(scale=2, layout=layout)})
    image = np.full((4, 4, 3), 11, np.uint8)

    class Item:
        label = 0

    crop, _ = config.example(Item, image, Window(-1, -2))  # type: ignore[arg-type]
    crop = crop if layout == "HWC" else crop.transpose(1, 2, 0)
    assert (crop[1:5, 2:6] == 20).all()
    assert crop.sum() == 20 * 4 * 4 * 3


@pytest.mark.parametrize("is_train", [False, True])
def test_a_transform_has_the_items_random_numbers(folder: pathlib.Path, is_train: bool) -> None:
    first = images_of(loader(pairs(folder), transform=noisy, is_train=is_train))
    np.testing.assert_array_equal(
        first, images_of(loader(pairs(folder), transform=noisy, is_train=is_train, num_workers=1, workers="processes"))
    )
    assert not np.array_equal(first, images_of(loader(pairs(folder), transform=noisy, is_train=is_train, seed=4)))


@pytest.mark.parametrize(
    ("transform", "says"),
    [
        (lambda crop: crop / 2, r"transform returned float64\[12, 16, 3\], not uint8\[12, 16, 3\]"),
        (lambda crop: crop[1:], r"transform returned uint8\[11, 16, 3\]"),
        (lambda crop: None, "transform returned a NoneType"),
    ],
)
def test_a_transform_that_returns_something_else_is_an_error(folder: pathlib.Path, transform: Any, says: str) -> None:
    with pytest.raises(LoadError, match=f"QC605 .*{says}"):
        images_of(loader(pairs(folder), transform=transform))


# Labels that are words.


def test_the_bound_on_pixels_holds_for_what_resizing_makes(tmp_path: pathlib.Path) -> None:
    """A line of 60,000 pixels used to take 11 GB with resize=256; this one took 393 MB."""
    path = tmp_path / "line.png"
    path.write_bytes(encoded(np.zeros((1, 2000, 3), np.uint8), "PNG"))
    says = r"(?s)QC631 .* has 1x2000, and resized 256x512000 pixels, more than max_pixels=89478485"
    with pytest.raises(queuecompat.LoadError, match=says):
        images_of(loader([(path, 1)], resize=256))
    with pytest.raises(queuecompat.LoadError, match="QC631"):
        loader([(path, 1)], resize=256, subtract_mean=True)


def test_folders_are_classes_in_sorted_order(folder: pathlib.Path) -> None:
    made = loader(folder)
    assert made.classes == ["bee", "cat", "dog"]
    assert labels_of(made) == [0] + [1] * 8 + [2] * 3
    np.testing.assert_array_equal(images_of(made)[1], picture(0)[4:16, 7:23])


def test_links_are_followed_but_not_in_circles(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """A link to a folder above itself used to add its images forty times, and two of them did not end."""
    (tmp_path / "dog").symlink_to(folder / "dog")
    (tmp_path / "bee").mkdir()
    (tmp_path / "bee" / "more").symlink_to(folder / "bee")
    for circle in ("all", "bee/up", "bee/here"):
        (tmp_path / circle).symlink_to(tmp_path / "bee" if circle == "bee/here" else tmp_path)
    made = loader(tmp_path)
    assert made.classes == ["bee", "dog"]
    assert labels_of(made) == [0] + [1] * 3


def test_the_order_of_classes_can_be_given(folder: pathlib.Path) -> None:
    made = loader(folder, classes=["dog", "cat", "ant", "bee"])
    assert made.classes == ["dog", "cat", "ant", "bee"]
    assert collections.Counter(labels_of(made)) == {0: 3, 1: 8, 3: 1}
    with pytest.raises(errors.QueueCompatValueError, match=r"QC640 the label 'bee' of .*is not one of .*'dog', 'cat'"):
        loader(folder, classes=["dog", "cat"])


def test_lists_and_pairs_may_have_words_for_labels(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    words = [(path, path.relative_to(folder).parts[0]) for path, _ in pairs(folder)]
    assert loader(words).classes == ["bee", "cat", "dog"]
    file = tmp_path / "list.txt"
    file.write_text("".join(f"{path}\t{word}\n" for path, word in words[:9]) + f"{words[9][0]} sheep dog\n")
    with pytest.raises(errors.QueueCompatValueError, match="QC621"):
        loader(str(file))
    file.write_text("".join(f"{path}\t{word}\n" for path, word in words[:9]) + f"{words[9][0]}\tsheep dog\n")
    made = loader(str(file), classes="sorted")
    assert made.classes == ["cat", "dog", "sheep dog"]
    assert labels_of(made) == [0] * 8 + [1, 2]
    file.write_text(f"{words[0][0]} cat\n")
    assert labels_of(loader(str(file), classes=["ant", "cat"])) == [1]
    file.write_text("only-a-path.png\n")
    with pytest.raises(errors.QueueCompatValueError, match=r"QC621 .*list.txt:1 is not a path and a label"):
        loader(str(file), classes="sorted")
    with pytest.raises(errors.QueueCompatTypeError, match="QC623"):
        loader([words[0], (words[1][0], 3)])


def test_several_lists_and_folders_are_one(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for number in (0, 1):
        (tmp_path / f"{number}").mkdir()
        (tmp_path / f"{number}" / "a.png").write_bytes(encoded(picture(number), "PNG"))
        (tmp_path / f"{number}" / "list.txt").write_text(f"a.png {number + 5}\n")
    made = loader([tmp_path / "0" / "list.txt", str(tmp_path / "1" / "list.txt")])
    assert labels_of(made) == [5, 6]
    np.testing.assert_array_equal(images_of(made)[1], picture(1)[4:16, 7:23])
    assert labels_of(loader([folder, folder])) == 2 * ([0] + [1] * 8 + [2] * 3)
    assert loader([tmp_path / "0" / "list.txt", tmp_path / "1" / "list.txt"]).images[1].place.endswith("1/list.txt:1")


def test_a_folder_without_images_is_refused(tmp_path: pathlib.Path) -> None:
    (tmp_path / "cat").mkdir()
    with pytest.raises(errors.QueueCompatValueError, match="QC622"):
        loader(tmp_path)


def test_a_folder_whose_images_have_no_folders_of_classes_says_what_to_make(tmp_path: pathlib.Path) -> None:
    """It used to say that it contains no image, and to speak of a file with comments."""
    (tmp_path / "a.png").write_bytes(encoded(picture(0), "PNG"))
    (tmp_path / "b.PNG").write_bytes(encoded(picture(1), "PNG"))
    with pytest.raises(errors.QueueCompatValueError, match=r"QC622 .* in the folder of a class; 2 directly") as caught:
        loader(tmp_path)
    assert "made at" in str(caught.value) and "comments" not in str(caught.value)
    assert f"make a folder for each class, with its images: '{tmp_path / 'cat' / 'a.png'}'; or" in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.QueueCompatValueError, match=r"QC622 .* no image\n(?s:.*)make a folder for each"):
        loader(tmp_path / "empty")


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "TIFF", "WebP"])
def test_an_image_passed_as_a_list_is_recognised(tmp_path: pathlib.Path, kind: str) -> None:
    """It used to be a list with a line that is not UTF-8."""
    file = tmp_path / "a.image"
    file.write_bytes(encoded(picture(0), kind))
    for images in ([file, file], file):
        with pytest.raises(errors.QueueCompatValueError, match=r"QC621 .*\.image is .*: it is an image") as caught:
            loader(images)
        assert f"pass pairs of a path and a label, such as ('{file}', 3)" in str(caught.value)


def test_a_list_may_begin_like_an_image(tmp_path: pathlib.Path) -> None:
    (tmp_path / "list.txt").write_text("BMW/1.jpg 3\nP6/2.jpg 4\n")
    assert loader(tmp_path / "list.txt").images.labels.tolist() == [3, 4]


def test_balanced_weights_come_from_the_labels(folder: pathlib.Path) -> None:
    made = loader(folder, is_train=True, weights="balanced", draws=600)
    for count in collections.Counter(labels_of(made)).values():
        assert 150 < count < 250
    with pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*weights='other'"):
        loader(folder, weights="other")


def test_a_sampler_replaces_the_shuffling_of_training(folder: pathlib.Path) -> None:
    made = loader(pairs(folder), is_train=True, sampler=[3, 1, 3])
    assert labels_of(made) == [3, 1, 3]
    ((_, labels),) = made.sample_batches(5, 1)
    assert len(set(labels.tolist())) == 5


# Refusals.


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ({"resize": 0}, "resize=0"),
        ({"resize": (3, 0)}, r"resize=\(3, 0\)"),
        ({"crop_area": (0.1, 1)}, "crop_area=.*only in training"),
        ({"crop_area": (0, 1), "is_train": True}, r"crop_area=\(0, 1\)"),
        ({"crop_area": (0.5, 2), "is_train": True}, "crop_area=.*at most 1"),
        ({"crop_area": 0.5, "is_train": True}, "crop_area=0.5"),
        ({"crop_ratio": (1, 2)}, "crop_ratio=.*crop_area="),
        ({"crop_area": (0.1, 1), "crop_ratio": (2, 1), "is_train": True}, "crop_ratio="),
        ({"transform": 5}, "transform=5"),
        ({"scale": 0}, "scale=0"),
        ({"scale": "a"}, "scale='a'"),
        ({"std": 0}, "std=0"),
        ({"std": [1, 2]}, "std="),
        ({"dtype": "float64"}, "dtype='float64'"),
        ({"dtype": "uint8", "scale": 2}, "dtype='uint8': scale and std"),
        ({"dtype": "uint8", "subtract_mean": True, "mean": 3}, "dtype='uint8': subtracting a mean"),
        ({"layout": "WHC"}, "layout='WHC'"),
        ({"classes": "numbers"}, "classes='numbers'"),
        (
            {"crop_area": (0.1, 1), "is_train": True, "subtract_mean": True, "mean": np.zeros([20, 30, 3])},
            "mean=.*crop's size",
        ),
    ],
)
def test_arguments_that_make_no_sense_are_refused(folder: pathlib.Path, bad: Any, says: str) -> None:
    with pytest.raises(errors.QueueCompatValueError, match=f"QC630 .*{says}"):
        loader(pairs(folder), **bad)


def test_crops_of_one_image_can_be_kept_apart_by_rule(folder: pathlib.Path) -> None:
    arguments: Any = dict(is_train=True, crops_per_image=2, crops_apart="delay", batch_size=6)
    batches = [labels.tolist() for _, labels in loader(pairs(folder), **arguments)]
    assert collections.Counter(label for batch in batches for label in batch) == dict.fromkeys(range(COUNT), 4)
    assert all(len(set(batch)) == len(batch) for batch in batches)
    for bad in ({"crops_apart": "delay"}, {"crops_apart": "far"}):
        with pytest.raises(errors.QueueCompatValueError, match=r"QC630 .*crops_apart="):
            loader(pairs(folder), **bad)


def test_cached_images_are_decoded_once_and_batches_are_the_same(
    folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: List[str] = []
    read_image = loading.read_image

    def counted(item: Any, *arguments: Any) -> np.ndarray:
        decoded.append(item.path)
        return read_image(item, *arguments)

    monkeypatch.setattr(loading, "read_image", counted)

    def epochs(**arguments: Any) -> List[np.ndarray]:
        training = loader(pairs(folder), is_train=True, resize=18, num_epochs=3, **arguments)
        return [images for images, _ in training]

    plain = epochs()
    assert len(decoded) == 3 * COUNT
    decoded.clear()
    # With one worker: of several, one may ask for an image of the next epoch while it is still being decoded.
    for one, other in zip(plain, epochs(cache_bytes=1 << 20, num_workers=1)):
        assert np.array_equal(one, other)
    assert sorted(decoded) == sorted(str(path) for path, _ in pairs(folder))


def test_the_cache_of_images_says_what_it_holds_and_keeps_to_its_budget(folder: pathlib.Path) -> None:
    training = loader(pairs(folder), is_train=True, num_workers=1, cache_bytes=4000)
    images_of(training)
    images_of(training)
    found = training.cache.statistics()
    assert (found.items, found.bytes, found.hits, found.misses) == (2, 3600, 2, 2 * COUNT - 2)
    assert loader(pairs(folder)).cache is None
    with pytest.raises(ValueError, match=r"QC630 .*cache_bytes.*threads"):
        loader(pairs(folder), cache_bytes=4000, workers="processes")
    with pytest.raises(ValueError, match=r"QC630 .*cache_bytes"):
        loader(pairs(folder), cache_bytes=0)
