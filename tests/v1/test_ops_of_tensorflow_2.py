"""Ops of TensorFlow 2 itself that do other than TF 1.15.5: the last row of ``migration_guide/differences.md``."""

from __future__ import annotations

import pathlib

import pytest

import queuecompat.v1 as tf


def test_a_field_of_blanks_is_zero_as_in_tf1_or_no_number() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        [number] = tf.decode_csv("   ", [[-1.0]])
        try:
            assert sess.run([number, tf.string_to_number(" ")]) == [0, 0]  # TensorFlow 2.12
        except tf.errors.InvalidArgumentError as error:  # TensorFlow 2.21
            assert "not a valid float" in error.message or "could not correctly convert" in error.message


def test_an_integer_may_begin_with_a_plus() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        [number] = tf.decode_csv("+5", [[-1]])
        try:
            assert sess.run(number) == 5  # TensorFlow 2.21
        except tf.errors.InvalidArgumentError as error:  # TensorFlow 2.12, and TF1
            assert "not a valid int32" in error.message


def test_of_equal_scores_the_first_box_is_taken() -> None:
    boxes = [[0.0, 0, 1, 1], [0, 0, 0, 0], [2, 2, 3, 3], [4, 4, 5, 5]]
    with tf.Graph().as_default(), tf.Session() as sess:
        kept = sess.run(tf.image.non_max_suppression(boxes, [0.9, 0.5, 0.5, 0.5], 3, 0.3)).tolist()
        assert kept == [0, 1, 2]  # TF1: [0, 3, 2]


def test_floats_above_the_maximum_of_int32_are_the_minimum_as_in_tf1_or_near_the_maximum() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        brighter = tf.image.adjust_brightness([[[2_000_000_000, 5, -7]]], 0.5)
        numbers = sess.run([tf.saturate_cast([3e9, -3e9], tf.int32), brighter[0, 0]])
    large = numbers[0][0]
    assert large in (-2147483648, 2147483520)  # TF1 and TensorFlow 2.12; TensorFlow 2.21
    assert [one.tolist() for one in numbers] == [[large, -2147483648], [large, 1073741824, 1073741824]]


def test_a_shuffle_is_the_same_with_a_repetition_after_it() -> None:
    def numbers(dataset: tf.data.Dataset) -> list:
        following = dataset.make_one_shot_iterator().get_next()
        return [int(sess.run(following)) for _ in range(10)]

    with tf.Graph().as_default(), tf.Session() as sess:
        shuffled = tf.data.Dataset.range(10).shuffle(5, seed=3)
        order = numbers(shuffled)
        assert order == [4, 1, 0, 2, 7, 8, 6, 3, 5, 9]  # as in TF1
        assert numbers(shuffled.repeat(2)) == order  # TF1: 2, 4, 0, 3, 6, 1, 5, 8, 9, 7


@pytest.mark.parametrize("way", [tf.matching_files, tf.train.match_filenames_once])
def test_below_a_missing_folder_there_are_no_files(way: object, tmp_path: pathlib.Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        files = way(str(tmp_path / "none" / "*"))
        sess.run(tf.local_variables_initializer())
        assert sess.run(files).tolist() == []  # TF1: NotFoundError


@pytest.mark.parametrize("way", [tf.matching_files, tf.train.match_filenames_once])
def test_a_name_without_a_folder_is_matched_without_one(
    way: object, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("a").touch()
    with tf.Graph().as_default(), tf.Session() as sess:
        named, found = way("a"), way("?")
        sess.run(tf.local_variables_initializer())
        assert [names.tolist() for names in sess.run([named, found])] == [[b"a"], [b"./a"]]  # TF1: b"./a" for both
    assert tf.gfile.Glob("a") == ["a"]  # TF1: "./a"
