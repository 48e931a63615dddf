"""Warps, splines, components and matches of ``tf.contrib.image``."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, error_at_call, error_at_run, gold, running
from .pictures import constant, of_unknown_shape, pictures

__all__: list[str] = []

# Splines are solved by another algorithm since; TF1's float32 agrees with exact arithmetic to about 1e-4.
DECIMALS = 2


def _rounded(tf: Any, tensor: Any) -> Any:
    scale = 10.0**DECIMALS
    return tf.cast(tf.round(tf.cast(tensor, tf.float64) * scale), tf.int64)


def _flow(count: int, height: int, width: int, dtype: Any = np.float32) -> np.ndarray:
    return (np.random.RandomState(3).rand(count, height, width, 2) * 6 - 3).astype(dtype)


@gold
def a_flow_warps_images_as_contribs_did(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        warp = tf.contrib.image.dense_image_warp
        images, flow = pictures(2), _flow(2, 5, 4)
        return {
            "float": warp(tf.constant(images), tf.constant(flow)),
            "double": warp(tf.constant(images.astype(np.float64)), tf.constant(flow)),
            "half": warp(tf.constant(images.astype(np.float16)), tf.constant(flow), name="named"),
            "fine_flow": warp(tf.constant(images), tf.constant(flow.astype(np.float64))),
            "unknown": warp(of_unknown_shape(tf, images, [None] * 4), of_unknown_shape(tf, flow, [None] * 4)),
            "nothing_moves": warp(tf.constant(images), tf.zeros([2, 5, 4, 2])),
        }

    return constant(tf, build)


@gold
def a_spline_goes_through_its_points_as_contribs_did(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        random = np.random.RandomState(0)
        points, values, queries = random.rand(2, 7, 2), random.rand(2, 7, 3) * 4, random.rand(2, 5, 2)
        spline = tf.contrib.image.interpolate_spline
        outputs = {
            f"order_{order}": _rounded(tf, spline(points, values, queries, order)) for order in (1, 2, 3, 4, 5, 6)
        }
        outputs["smoother"] = _rounded(tf, spline(points, values, queries, 2, regularization_weight=0.1, name="named"))
        outputs["at_the_points"] = _rounded(tf, spline(points, values, points, 2))
        unknown = [of_unknown_shape(tf, array, [None, None, array.shape[-1]]) for array in (points, values, queries)]
        outputs["unknown"] = _rounded(tf, spline(*unknown, order=3))
        return outputs

    return constant(tf, build)


@gold
def control_points_warp_images_as_contribs_did(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        images = tf.constant(pictures(2, 6, 5).astype(np.float64))
        source = np.array([[[1.0, 1.0], [4.0, 1.0], [2.0, 3.0], [1.0, 4.0]]] * 2)
        destination = source + np.array([[0.5, 0.25], [-1.0, 0.5], [0.25, -0.75], [0.0, 0.0]])
        outputs = {}
        for name, arguments in {
            "plain": {},
            "corners": {"num_boundary_points": 1},
            "edges": {"num_boundary_points": 3, "interpolation_order": 1},
            "smooth": {"regularization_weight": 0.01, "name": "named"},
        }.items():
            warped, flow = tf.contrib.image.sparse_image_warp(images, source, destination, **arguments)
            outputs[name], outputs[f"{name}_flow"] = _rounded(tf, warped), _rounded(tf, flow)
        return outputs

    return constant(tf, build)


def _islands(seed: int, shape: Any, kinds: int) -> np.ndarray:
    return np.random.RandomState(seed).randint(0, kinds, shape)


def _spiral(side: int) -> np.ndarray:
    """One area that winds inwards."""
    field = np.zeros((side, side), np.int32)
    top, bottom, left, right = 0, side - 1, 0, side - 1
    while top <= bottom and left <= right:
        field[top, left : right + 1] = field[top : bottom + 1, right] = 1
        field[bottom, left : right + 1] = field[top + 2 : bottom + 1, left] = 1
        if top + 2 <= bottom:
            field[top + 2, left + 1 : left + 2] = 1
        top, bottom, left, right = top + 2, bottom - 2, left + 2, right - 2
    return field


@gold
def connected_components_are_numbered_as_contribs_were(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        label = tf.contrib.image.connected_components
        return {
            "bools": label(_islands(0, (7, 9), 2) > 0),
            "batch": label(_islands(1, (3, 6, 5), 2).astype(np.int32)),
            "several_values": label(_islands(2, (2, 8, 8), 4).astype(np.int64)),
            "floats": label(_islands(3, (8, 8), 3).astype(np.float32) / 2),
            "texts": label(np.array([["a", "a", ""], ["b", "a", "b"]])),
            "all": label(np.ones((4, 5), np.int32)),
            "none": label(np.zeros((4, 5), np.int32)),
            "one_pixel": label(np.ones((1, 1), np.int32)),
            "one_row": label(np.array([[1, 1, 0, 1]], np.int32)),
            "winding": label(_spiral(15)),
            "unknown": label(of_unknown_shape(tf, _islands(4, (5, 6), 2).astype(np.float32), [None, None])),
        }

    return constant(tf, build)


@gold
def rows_and_columns_are_matched_as_contribs_were(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        match = tf.contrib.image.bipartite_match
        distances = np.random.RandomState(5).rand(4, 6).astype(np.float32)
        calls = {
            "all": match(distances, -1.0),
            "higher_than_wide": match(distances.T.copy(), -1),
            "three_rows": match(distances, [3.0]),
            "no_row": match(distances, 0),
            "two_pairs": match(distances, -1, top_k=2),
            "more_pairs_than_there_are": match(distances, -1, top_k=20),
            "alike": match(np.ones((3, 3), np.float32), -1),
            "some_alike": match(np.array([[2, 1, 1], [1, 2, 1], [1, 1, 2]], np.float32), -1),
            "negative": match(-distances, -1, name="named"),
        }
        return {
            f"{name}_{side}": calls[name][number] for name in calls for number, side in enumerate(("rows", "columns"))
        }

    return constant(tf, build)


@gold
def warps_refuse_what_contrib_refused(tf: Any) -> Result:
    contrib, images, flow = tf.contrib.image, pictures(2), _flow(2, 5, 4)
    calls: Dict[str, Callable[[], Any]] = {
        "one_image": lambda: contrib.dense_image_warp(tf.constant(images[0]), tf.constant(flow[0])),
        "low_images": lambda: contrib.dense_image_warp(tf.constant(images[:, :1]), tf.constant(flow[:, :1])),
        "flow_of_another_size": lambda: contrib.dense_image_warp(tf.constant(images), tf.constant(flow[:, :3])),
        "spline_of_unknown_width": lambda: contrib.interpolate_spline(
            of_unknown_shape(tf, flow[0], [None] * 3), flow[0], flow[0], 2
        ),
        "points_of_unknown_images": lambda: contrib.sparse_image_warp(
            of_unknown_shape(tf, images, [None] * 4), flow[0, :2], flow[0, :2]
        ),
        "components_of_rank_four": lambda: contrib.connected_components(images),
        "components_of_rank_one": lambda: contrib.connected_components(images[0, 0, 0]),
        "match_of_rank_one": lambda: contrib.bipartite_match(flow[0, 0, 0], -1),
    }
    result = {name: error_at_call(tf, call) for name, call in calls.items()}
    with tf.Graph().as_default():
        points = tf.constant([[[0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]])
        spline = contrib.interpolate_spline(points, points, points, 2)
        valid = tf.placeholder_with_default(9.0, None)
        match = contrib.bipartite_match(np.ones((3, 4), np.float32), valid)
        low = contrib.dense_image_warp(of_unknown_shape(tf, images[:, :1], [None] * 4), tf.constant(flow[:, :1]))
        with running(tf) as session:
            result["equal_points"] = error_at_run(lambda: session.run(spline))
            result["rows_that_are_not_there"] = error_at_run(lambda: session.run(match))
            result["low_at_run"] = error_at_run(lambda: session.run(low))
    return result
