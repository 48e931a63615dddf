"""Slices with their crops moved: the same bits, the same errors, and where nothing moves."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional

import numpy as np
import pytest
import tensorflow
import tensorflow.compat.v1 as tf

from queuecompat._analysis.cropping.decoding import LEAST_WIDTH
from queuecompat._analysis.frontier import Given
from queuecompat._analysis.slicing import Slice, cut
from tests.batched.rowwise import runner
from tests.cropping.specimens import FILES, HEIGHT, WIDTH, cut_off, damaged_at, encoded

RUNS = 4  # of each file, as random windows differ


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


def sliced(build: Callable[[Any], Any]) -> Slice:
    contents = tf.identity(tf.placeholder(tf.string, []))
    outputs = build(contents)
    return cut(list(outputs) if isinstance(outputs, (list, tuple)) else [outputs], Given([contents]))


def moved(build: Callable[[Any], Any]) -> Optional[Slice]:
    return sliced(build).cropped_early()[0]


def kinds(body: Slice) -> List[str]:
    return [op.type for op in body._ops]


def random_window(image: Any) -> Any:
    return tf.image.random_crop(image, [32, 40, image.shape.as_list()[-1] or 3], seed=3)


def distorted(image: Any) -> Any:
    begin, size, _ = tensorflow.compat.v1.image.sample_distorted_bounding_box(
        tf.shape(image), tf.zeros([1, 0, 4]), seed=4, use_image_if_no_bounding_boxes=True
    )
    return tf.slice(image, begin, size)


def scaled(image: Any) -> Any:
    return tf.image.convert_image_dtype(image, tf.float32)


CROPS = {
    "random_crop": random_window,
    "random_crop of floats": lambda image: random_window(scaled(image)) * 2.0,
    "distorted": distorted,
    "distorted, of floats": lambda image: distorted(scaled(image) - 0.5),
    "the middle": lambda image: tf.image.central_crop(image, 0.5),
    "bounding box": lambda image: tf.image.crop_to_bounding_box(image, 5, 7, 30, 40),
    "crop or pad": lambda image: tf.image.resize_image_with_crop_or_pad(tf.cast(image, tf.float32), 40, 120),
    "brackets": lambda image: image[3:40, 5:60],
    "brackets from the end": lambda image: tf.cast(image[-40:-2, 11:], tf.float32),
    "a window of one pixel": lambda image: tf.slice(image, [4, 5, 0], [1, 1, -1]),
    "the last columns": lambda image: tf.slice(image, [0, WIDTH - LEAST_WIDTH, 0], [-1, LEAST_WIDTH, -1]),
    "sizes of 64 bits": lambda image: tf.slice(image, *(tf.constant(one, tf.int64) for one in ([4, 5, 0], [9, 9, -1]))),
}


@pytest.mark.parametrize(
    "crop, channels",
    [
        *((crop, 3) for crop in CROPS),
        *((crop, n) for crop in ("random_crop", "brackets", "the middle") for n in (0, 1)),
    ],
)
def test_a_window_that_is_decoded_alone_has_the_pixels_of_the_whole_image(crop: str, channels: int) -> None:
    body = sliced(lambda contents: CROPS[crop](tf.image.decode_jpeg(contents, channels=channels)))
    cropped, words = body.cropped_early()
    assert cropped is not None and "decodes only the window of a crop" in words
    assert "DecodeAndCropJpeg" in kinds(cropped)
    with tf.Session() as session:
        one, other = runner(body, session), runner(cropped, session)
        for name, contents in FILES.items():
            if name == "grayscale" and not channels and "random_crop" in crop:
                continue  # three channels are asked for
            if name == "four colours" and channels == 1:
                continue  # which no decoder makes of four
            for _ in range(RUNS if "random" in crop or "distorted" in crop else 1):
                (expected,), (found,) = one(contents), other(contents)
                assert found.shape == expected.shape, name
                assert found.tobytes() == expected.tobytes(), name


def test_the_first_and_last_columns_are_smoothed_with_those_beside_them() -> None:
    types = (tf.string, tf.int32, tf.int32)
    contents, left, width = (tf.identity(tf.placeholder(dtype, [])) for dtype in types)
    part = tf.slice(tf.image.decode_jpeg(contents), [9, left, 0], [20, width, -1])
    body = cut([part], Given([contents, left, width]))
    cropped, _ = body.cropped_early()
    assert cropped is not None
    order = [[contents.name, left.name, width.name].index(source.name) for source in body.sources]
    with tf.Session() as session:
        one, other = runner(body, session), runner(cropped, session)
        for place in range(0, 34, 3):
            for size in (1, LEAST_WIDTH - 1, LEAST_WIDTH, 16, 17):
                values = [FILES["4:2:0"], place, size]
                given = [values[number] for number in order]
                assert one(*given)[0].tobytes() == other(*given)[0].tobytes(), (place, size)


def of_parts(part: Any) -> Callable[[Any], Any]:
    return lambda contents: tf.slice(tf.image.decode_jpeg(contents, channels=3), *part)


@pytest.mark.parametrize(
    "contents, build",
    [
        (cut_off(FILES["4:2:0"]), of_parts(([0, 0, 0], [9, 9, 3]))),
        (b"", of_parts(([0, 0, 0], [9, 9, 3]))),
        (b"\xff\xd8\xff\xd9", of_parts(([0, 0, 0], [9, 9, 3]))),
        (b"no image", of_parts(([0, 0, 0], [9, 9, 3]))),
        (FILES["4:2:0"], of_parts(([0, -1, 0], [9, 9, 3]))),
        (FILES["4:2:0"], of_parts(([HEIGHT - 8, 0, 0], [9, 9, 3]))),
        (FILES["4:2:0"], of_parts(([0, WIDTH - 8, 0], [9, 9, 3]))),
        (FILES["4:2:0"], lambda contents: tf.image.random_crop(tf.image.decode_jpeg(contents, channels=3), [99, 9, 3])),
    ],
    ids=["cut off", "empty", "no content", "no image", "left of it", "below it", "right of it", "too large"],
)
def test_an_error_without_cropping_is_an_error_with_it(contents: bytes, build: Callable[[Any], Any]) -> None:
    body = sliced(build)
    cropped, _ = body.cropped_early()
    assert cropped is not None
    with tf.Session() as session:
        for one in (body, cropped):
            with pytest.raises(tf.errors.InvalidArgumentError):
                runner(one, session)(contents)


def test_a_window_without_pixels_is_empty() -> None:
    body = sliced(of_parts(([5, 5, 0], [0, 9, 3])))
    cropped, _ = body.cropped_early()
    assert cropped is not None
    with tf.Session() as session:
        assert runner(cropped, session)(FILES["4:2:0"])[0].shape == (0, 9, 3)


def test_damage_after_the_window_is_not_seen() -> None:
    body = sliced(of_parts(([0, 0, 0], [16, 40, 3])))
    cropped, _ = body.cropped_early()
    assert cropped is not None
    damaged = damaged_at(FILES["4:2:0"], 0.9)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError):
            runner(body, session)(damaged)
        (expected,) = runner(body, session)(FILES["4:2:0"])
        assert runner(cropped, session)(damaged)[0].tobytes() == expected.tobytes()
        with pytest.raises(tf.errors.InvalidArgumentError):
            runner(body, session)(damaged_at(FILES["4:2:0"], 0.5))


def test_dct_method_and_smoothing_are_those_of_the_program() -> None:
    def build(contents: Any) -> Any:
        image = tf.image.decode_jpeg(contents, dct_method="INTEGER_FAST", fancy_upscaling=False)
        return tf.slice(image, [9, 9, 0], [30, 30, -1])

    body = sliced(build)
    cropped, _ = body.cropped_early()
    assert cropped is not None
    plain = sliced(lambda contents: tf.slice(tf.image.decode_jpeg(contents), [9, 9, 0], [30, 30, -1]))
    with tf.Session() as session:
        (expected,), (found,), (other,) = (runner(one, session)(FILES["4:2:0"]) for one in (body, cropped, plain))
    assert found.tobytes() == expected.tobytes() != other.tobytes()


def test_an_array_that_is_taken_by_reference_stays_so() -> None:
    mean = np.random.RandomState(0).rand(64, 90, 3)  # 138 kB
    body = sliced(lambda contents: tf.cast(tf.image.decode_jpeg(contents, channels=3)[:64, :90], tf.float64) - mean)
    cropped, _ = body.cropped_early()
    assert cropped is not None and len(cropped.large_constants) == len(body.large_constants) == 1
    with tf.Session() as session:
        (expected,), (found,) = (runner(one, session)(FILES["4:2:0"]) for one in (body, cropped))
    assert found.tobytes() == expected.tobytes()


def test_a_variable_and_a_table_are_those_of_the_program() -> None:
    def build(contents: Any) -> Any:
        mean = tf.get_variable("mean", initializer=np.float32(7.0), use_resource=True)
        names = tf.constant(["a", "b"])
        table = tensorflow.lookup.StaticHashTable(tensorflow.lookup.KeyValueTensorInitializer(names, [3, 4]), 0)
        top = tf.cast(table.lookup(tf.constant("b")), tf.int32)
        image = tf.cast(jpeg(contents), tf.float32) - mean
        return tf.slice(image, tf.stack([top, 2, 0]), [20, 30, 3])

    body = sliced(build)
    cropped, words = body.cropped_early()
    assert cropped is not None and words.endswith("crops before Cast, Sub")
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        (expected,), (found,) = (runner(one, session)(FILES["4:2:0"]) for one in (body, cropped))
    assert found.tobytes() == expected.tobytes()


# Before arithmetic.


def decoded(contents: Any) -> Any:
    image = tf.image.decode_png(contents, channels=3)
    image.set_shape([HEIGHT, WIDTH, 3])
    return image


@pytest.mark.parametrize(
    "arithmetic, count",
    [
        (lambda image: tf.cast(image, tf.float32), 1),
        (lambda image: tf.cast(image, tf.float32) / 255.0 - 0.5, 3),
        (lambda image: tf.cast(image, tf.float32) - [123.0, 117.0, 104.0], 2),
        (lambda image: tf.sqrt(tf.identity(tf.cast(image, tf.float32))), 3),
    ],
)
def test_a_crop_moves_before_what_computes_each_number_alone(arithmetic: Any, count: int) -> None:
    body = sliced(lambda contents: tf.slice(arithmetic(decoded(contents)), [3, 4, 0], [20, 30, 3]))
    cropped, words = body.cropped_early()
    assert cropped is not None and words.startswith("crops before Cast")
    (crop,) = [op for op in cropped._ops if op.type == "Slice"]
    assert crop.inputs[0].op.type == "DecodePng" and crop.name == "Slice"
    assert cropped.outputs[0].shape.as_list() == [20, 30, 3]
    with tf.Session() as session:
        (expected,), (found,) = (runner(one, session)(FILES["PNG"]) for one in (body, cropped))
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [(24, 24), (24, 40), (40, 40)])
def test_what_runs_on_batches_does_so_after_its_crop_has_moved(size: Any) -> None:
    row = tf.identity(tf.placeholder(tf.uint8, [32, 32, 3]))
    image = tf.image.resize_image_with_crop_or_pad(tf.cast(row, tf.float32), *size)
    body = cut([tf.square(image / 255.0)], Given([row]))
    cropped, _ = body.cropped_early()
    assert (cropped is None) == (size == (40, 40))  # there nothing is cut off
    form = (cropped or body).in_batches()
    assert form is not None and form.head is None and form.tail is not None, form


def window(image: Any) -> Any:
    return tf.slice(image, [3, 4, 0], [20, 30, 3])


def _used_twice(contents: Any) -> Any:
    image = tf.cast(decoded(contents), tf.float32)
    return window(image), tf.reduce_mean(image)


def _two_windows(contents: Any) -> Any:
    image = tf.cast(decoded(contents), tf.float32)
    return window(image), tf.slice(image, [0, 0, 0], [20, 30, 3])


def _after_the_cast(contents: Any) -> Any:
    image = tf.cast(decoded(contents), tf.float32)
    with tf.control_dependencies([image]):
        left = tf.random_uniform([], 0, 9, tf.int32)
    return tf.slice(image, [3, left, 0], [20, 30, 3])


@pytest.mark.parametrize(
    "build",
    [
        _after_the_cast,
        lambda contents: window(tf.exp(tf.cast(decoded(contents), tf.float32))),
        lambda contents: window(tf.image.rgb_to_hsv(tf.cast(decoded(contents), tf.float32))),
        lambda contents: window(tf.cast(decoded(contents), tf.float32) + tf.zeros([HEIGHT, WIDTH, 3])),
        lambda contents: tf.cast(decoded(contents), tf.float32)[:, :, ::-1],
        lambda contents: tf.cast(decoded(contents), tf.float32)[3],
        lambda contents: tf.cast(tf.decode_raw(contents, tf.uint8), tf.float32)[3:],
        _used_twice,
        _two_windows,
    ],
    ids=[
        "waited for",
        "exp",
        "hsv",
        "of that size",
        "turned around",
        "an item",
        "no image",
        "used twice",
        "two windows",
    ],
)
def test_a_crop_stays_where_the_bits_or_another_op_need_the_rest_of_the_image(build: Callable[[Any], Any]) -> None:
    assert moved(build) is None


def jpeg(contents: Any, **how: Any) -> Any:
    return tf.image.decode_jpeg(contents, channels=3, **how)


def _by_pixels(contents: Any) -> Any:
    image = jpeg(contents)
    return tf.slice(image, [tf.cast(image[0, 0, 0], tf.int32), 0, 0], [9, 9, 3])


def _waited_for(contents: Any) -> Any:
    image = jpeg(contents)
    with tf.control_dependencies([image]):
        flip = tf.random_uniform([])
    return window(image), flip


def _in_a_branch(contents: Any) -> Any:
    black = tf.zeros([20, 30, 3], tf.uint8)
    return tf.cond(tf.strings.length(contents) > 9, lambda: window(jpeg(contents)), lambda: black)


@pytest.mark.parametrize(
    "build",
    [
        lambda contents: window(jpeg(contents, ratio=2)),
        lambda contents: window(jpeg(contents, acceptable_fraction=0.5)),
        lambda contents: tf.slice(jpeg(contents), [0, 0, 1], [20, 30, 1]),
        lambda contents: tf.slice(jpeg(contents), [0, 0, 0], [-1, -1, 3]),
        _by_pixels,
        _waited_for,
        _in_a_branch,
    ],
    ids=["smaller", "of a part", "one channel", "all of it", "by pixels", "waited for", "in a branch"],
)
def test_the_whole_image_is_decoded_where_the_window_is_not_all_that_is_used(build: Callable[[Any], Any]) -> None:
    cropped = moved(build)
    assert cropped is None or "DecodeAndCropJpeg" not in kinds(cropped)


def test_random_numbers_are_drawn_as_often_and_in_the_same_order() -> None:
    def build(contents: Any) -> Any:
        image = tf.image.random_crop(jpeg(contents), [30, 30, 3], seed=1)
        return tf.image.random_brightness(tf.image.random_flip_left_right(image, seed=2), 0.3, seed=3)

    body = sliced(build)
    cropped = body.cropped_early()[0]
    assert cropped is not None
    draws = [[op.name for op in one._ops if "seed2" in op.node_def.attr] for one in (body, cropped)]
    assert sorted(draws[0]) == sorted(draws[1]) and len(draws[0]) == 3
    files = [FILES["4:2:0"], FILES["PNG"], encoded(quality=50)] * 3
    with tf.Session() as session:
        one, other = runner(body, session), runner(cropped, session)
        assert [one(file)[0].tobytes() for file in files] == [other(file)[0].tobytes() for file in files]
