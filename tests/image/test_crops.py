"""Crops: TF1's where TF1 had one, one for each image of a batch, several of one image."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from queuecompat import train
from tests.image.running import PICTURES, is_even, numbered, values
from tests.pipelines.running import drain


def is_a_window(crop: np.ndarray, picture: np.ndarray) -> bool:
    height, width = crop.shape[:2]
    places = [(y, x) for y in range(len(picture) - height + 1) for x in range(picture.shape[1] - width + 1)]
    return any(np.array_equal(crop, picture[y : y + height, x : x + width]) for y, x in places)


def test_each_image_of_a_batch_gets_a_window_of_its_own() -> None:
    (crops,) = values(ops.random_crop(PICTURES, [4, 5, 3], seed=1))
    assert crops.shape == (6, 4, 5, 3)
    assert all(is_a_window(crop, picture) for crop, picture in zip(crops, PICTURES))
    same = np.stack([PICTURES[0]] * 6)
    (crops,) = values(ops.random_crop(same, [4, 5, 3], seed=1))
    assert len({crop.tobytes() for crop in crops}) > 1


def test_a_size_of_four_cuts_one_window_for_all_as_in_tf1() -> None:
    ours = ops.random_crop(PICTURES, [6, 4, 5, 3], seed=3)
    tf1 = tf.compat.v1.random_crop(PICTURES, [6, 4, 5, 3], seed=3)
    for here, there in values([ours, tf1], runs=4):
        assert np.array_equal(here, there)


def test_a_batch_of_one_draws_what_its_image_alone_draws() -> None:
    batch = ops.random_crop(PICTURES[:1], [4, 5, 3], seed=4)
    alone = tf.compat.v1.random_crop(PICTURES[0], [4, 5, 3], seed=4)
    several = ops.random_crops(PICTURES[0], [4, 5, 3], 1, seed=4)
    for here, there, one in values([batch, alone, several], runs=5):
        assert np.array_equal(here[0], there)
        assert np.array_equal(one[0], there)


@pytest.mark.parametrize("size", [[3, 4, 1], [32, 33, 1]], ids=["gathered", "sliced"])
def test_each_place_is_equally_likely(size: list[int]) -> None:
    height, width = size[0] + 3, size[1] + 4
    batch = np.stack([numbered(height, width)] * 100)
    first = ops.random_crop(batch, size, seed=5)[:, 0, 0, 0]
    drawn = np.concatenate(values(first, runs=40))
    counts = np.zeros([height, width], np.int64)
    np.add.at(counts, (drawn // width, drawn % width), 1)
    assert is_even(counts[:4, :5])
    assert counts[:4, :5].sum() == 4000


def test_the_places_of_two_images_have_nothing_to_do_with_each_other() -> None:
    batch = np.stack([numbered(3, 1)] * 2)
    drawn = np.array(values(ops.random_crop(batch, [1, 1, 1], seed=6)[:, 0, 0, 0], runs=900))
    pairs = np.zeros([3, 3], np.int64)
    np.add.at(pairs, (drawn[:, 0], drawn[:, 1]), 1)
    assert is_even(pairs)


@pytest.mark.parametrize("channels", [1, 3])
def test_slices_and_gathers_cut_the_same_windows(channels: int) -> None:
    pictures = np.random.RandomState(2).randint(0, 255, [5, 40, 41, 3]).astype(np.uint8)
    of_unknown_number = tf.compat.v1.placeholder_with_default(pictures, [None, 40, 41, 3])
    sliced = ops.random_crops(pictures, [33, 34, channels], 2, seed=7)
    gathered = ops.random_crops(of_unknown_number, [33, 34, channels], 2, seed=7)
    assert "Slice" in {op.type for op in sliced.graph.get_operations()}
    for here, there in values([sliced, gathered], runs=3):
        assert np.array_equal(here, there)


def test_what_the_graph_does_not_know_is_found_out_at_run_time() -> None:
    unknown = tf.compat.v1.placeholder_with_default(PICTURES, [None, None, None, None])
    size = tf.compat.v1.placeholder_with_default([4, 5, 3], [3])
    crops = ops.random_crop(unknown, size, seed=1)
    assert crops.shape.as_list() == [None, None, None, None]
    known = ops.random_crop(PICTURES, [4, 5, 3], seed=1)
    (here, there) = values([crops, known])[0]
    assert np.array_equal(here, there)


def test_an_image_smaller_than_the_crop_is_an_error_at_run_time() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than size"):
        values(ops.random_crop(PICTURES, [4, 50, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="smaller than size"):
        values(ops.random_crops_and_mirrors(PICTURES[0], [4, 50, 3], 2))


def test_crops_and_their_mirrors_are_examples_of_one_image() -> None:
    examples = ops.random_crops_and_mirrors(PICTURES[0], [4, 5, 3], 3, seed=1)
    assert examples.shape.as_list() == [6, 4, 5, 3]
    (crops,) = values(examples)
    assert all(is_a_window(crop, PICTURES[0]) for crop in crops[:3])
    assert np.array_equal(crops[3:], crops[:3, :, ::-1])


def test_crops_of_a_batch_come_image_after_image_with_their_labels() -> None:
    labels = {"number": tf.range(6), "pair": tf.reshape(tf.range(12), [6, 2])}
    crops, repeated = ops.random_crops_and_mirrors(PICTURES, [4, 5], 3, seed=1, labels=labels)
    assert crops.shape.as_list() == [36, 4, 5, 3]
    assert repeated["pair"].shape.as_list() == [36, 2]
    found, numbers, pairs = values([crops, repeated["number"], repeated["pair"]])[0]
    assert numbers.tolist() == np.repeat(np.arange(6), 6).tolist()
    assert pairs.tolist() == np.repeat(np.arange(12).reshape(6, 2), 6, axis=0).tolist()
    for image in range(6):
        own = found[6 * image : 6 * image + 6]
        assert all(is_a_window(crop, PICTURES[image]) for crop in own[:3])
        assert np.array_equal(own[3:], own[:3, :, ::-1])


def test_the_label_of_a_single_image_is_repeated_whatever_its_rank() -> None:
    _, (number, vector) = ops.random_crops(PICTURES[0], [4, 5], 4, labels=(7, np.array([1, 2])))
    assert values([number, vector])[0][0].tolist() == [7] * 4
    assert vector.shape.as_list() == [4, 2]


def test_ten_crops_are_corners_centre_and_mirrors() -> None:
    picture = PICTURES[0]
    (views,) = values(ops.ten_crop(picture, [4, 5]))
    corners = [picture[:4, :5], picture[:4, 3:], picture[5:, :5], picture[5:, 3:], picture[2:6, 1:6]]
    assert np.array_equal(views[:5], np.stack(corners))
    assert np.array_equal(views[5:], views[:5, :, ::-1])


def test_ten_crops_of_a_batch_come_image_after_image() -> None:
    views, labels = ops.ten_crop(PICTURES, [4, 5, 3], labels=tf.range(6))
    assert views.shape.as_list() == [60, 4, 5, 3]
    alone = tf.concat([ops.ten_crop(picture, [4, 5]) for picture in PICTURES], 0)
    here, there, repeated = values([views, alone, labels])[0]
    assert np.array_equal(here, there)
    assert repeated.tolist() == np.repeat(np.arange(6), 10).tolist()


def test_crops_and_mirrors_enter_a_shuffled_batch_as_rows() -> None:
    """What the package's first page shows."""
    images = tf.constant(PICTURES)
    image, label = train.slice_input_producer([images, np.arange(6)], num_epochs=1, shuffle=False)
    crops, labels = ops.random_crops_and_mirrors(image, [4, 5, 3], 2, labels=label)
    batch = train.shuffle_batch([crops, labels], 8, capacity=40, min_after_dequeue=10, enqueue_many=True, seed=1)
    found = drain(batch)
    assert sorted(label for _, labels in found for label in labels.tolist()) == np.repeat(np.arange(6), 4).tolist()
    for crops_of_batch, labels_of_batch in found:
        for crop, number in zip(crops_of_batch, labels_of_batch):
            assert is_a_window(crop, PICTURES[number]) or is_a_window(crop[:, ::-1], PICTURES[number])


def test_wrong_arguments_say_what_would_be_right() -> None:
    with pytest.raises(ValueError, match=r"random_crops: the image has shape \(9, 8\).*tf.newaxis"):
        ops.random_crops(PICTURES[0, :, :, 0], [4, 4], 2)
    with pytest.raises(ValueError, match="n is 0; it must be at least 1"):
        ops.random_crops_and_mirrors(PICTURES, [4, 4], 0)
    with pytest.raises(ValueError, match=r"size is \[4\]; it must be \[height, width\]"):
        ops.ten_crop(PICTURES, [4])
    with pytest.raises(ValueError):
        ops.ten_crop(PICTURES, [4, 50])
