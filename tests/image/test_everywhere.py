"""Every op, in a graph, in the function of a dataset and eagerly; on one image and on a batch; bytes and floats.

``python -m tests.image.test_everywhere FILE`` writes what the ops give eagerly: that needs a process in which
TF2 behaviour is on, as it is not in the tests.
"""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any, Callable, Dict

import numpy as np
import pytest
import tensorflow as tf

from queuecompat import image as ops
from tests.forking import Server
from tests.image.running import PICTURES, values

SIZE = [4, 5, 3]
TRANSFORM = np.array([1, 0.1, 0, 0, 1, 0, 0, 0], np.float32)

OPS: Dict[str, Callable[[Any, int], Any]] = {
    "adjust_brightness": lambda image, seed: ops.adjust_brightness(image, 0.1),
    "adjust_contrast": lambda image, seed: ops.adjust_contrast(image, 0.5),
    "adjust_gamma": lambda image, seed: ops.adjust_gamma(image, 2.0),
    "adjust_hue": lambda image, seed: ops.adjust_hue(image, 0.1),
    "adjust_saturation": lambda image, seed: ops.adjust_saturation(image, 0.5),
    "central_crop": lambda image, seed: ops.central_crop(image, 0.5),
    "crop_to_bounding_box": lambda image, seed: ops.crop_to_bounding_box(image, 1, 1, 4, 5),
    "cutout": lambda image, seed: ops.cutout(image, 3, seed=seed),
    "flip_left_right": lambda image, seed: ops.flip_left_right(image),
    "flip_up_down": lambda image, seed: ops.flip_up_down(image),
    "pad_reflect": lambda image, seed: ops.pad_reflect(image, 2),
    "pad_to_bounding_box": lambda image, seed: ops.pad_to_bounding_box(image, 1, 1, 12, 12),
    "per_image_standardization": lambda image, seed: ops.per_image_standardization(image),
    "per_image_whitening": lambda image, seed: ops.per_image_whitening(image),
    "random_brightness": lambda image, seed: ops.random_brightness(image, 0.1, seed=seed, per_image=True),
    "random_contrast": lambda image, seed: ops.random_contrast(image, 0.5, 1.5, seed=seed, per_image=True),
    "random_crops": lambda image, seed: ops.random_crops(image, SIZE, 2, seed=seed),
    "random_crops_and_mirrors": lambda image, seed: ops.random_crops_and_mirrors(image, SIZE, 2, seed=seed),
    "random_flip_left_right": lambda image, seed: ops.random_flip_left_right(image, seed=seed),
    "random_flip_up_down": lambda image, seed: ops.random_flip_up_down(image, seed=seed),
    "random_gamma": lambda image, seed: ops.random_gamma(image, 0.5, 1.5, seed=seed),
    "random_crop": lambda image, seed: ops.random_crop(image, SIZE, seed=seed),
    "random_hue": lambda image, seed: ops.random_hue(image, 0.1, seed=seed, per_image=True),
    "random_rotate": lambda image, seed: ops.random_rotate(image, 0.5, seed=seed),
    "random_saturation": lambda image, seed: ops.random_saturation(image, 0.5, 1.5, seed=seed, per_image=True),
    "random_translate": lambda image, seed: ops.random_translate(image, 2, seed=seed),
    "resize": lambda image, seed: ops.resize(image, [4, 5]),
    "resize_image_with_crop_or_pad": lambda image, seed: ops.resize_image_with_crop_or_pad(image, 4, 12),
    "resize_image_with_pad": lambda image, seed: ops.resize_image_with_pad(image, 4, 12),
    "resize_images": lambda image, seed: ops.resize_images(image, [4, 5], align_corners=True),
    "resize_with_crop_or_pad": lambda image, seed: ops.resize_with_crop_or_pad(image, 4, 12),
    "rot90": lambda image, seed: ops.rot90(image),
    "rotate": lambda image, seed: ops.rotate(image, 0.5, "BILINEAR"),
    "ten_crop": lambda image, seed: ops.ten_crop(image, SIZE),
    "transform": lambda image, seed: ops.transform(image, TRANSFORM),
    "translate": lambda image, seed: ops.translate(image, [1, 2]),
    "transpose": lambda image, seed: ops.transpose(image),
    "transpose_image": lambda image, seed: ops.transpose_image(image),
}
# What takes no image, or batches alone.
OTHERS = {
    "ResizeMethod",
    "angles_to_projective_transforms",
    "compose_transforms",
    "flat_transforms_to_matrices",
    "matrices_to_flat_transforms",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_nearest_neighbor",
    "translations_to_projective_transforms",
}
# As in TF1, a number of quarter turns is not looked at while the graph is built.
TURNED = {"rot90"}
FLOATS = PICTURES.astype(np.float32) / 255
IMAGES = {"byte": PICTURES[0], "bytes": PICTURES, "float": FLOATS[0], "floats": FLOATS}


def seed_of(name: str, kind: str) -> int:
    """A seed of its own for every draw: eagerly, two draws with one seed share their state."""
    return 1 + len(IMAGES) * list(OPS).index(name) + list(IMAGES).index(kind)


def test_no_op_is_forgotten_here() -> None:
    assert set(OPS) | OTHERS == set(ops.__all__)


@pytest.fixture(scope="module")
def eager(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Any:
    """What every op gives eagerly, by ``op kind``."""
    folder = tmp_path_factory.mktemp("eager")
    path = os.pathsep.join([str(pathlib.Path(__file__).parents[2]), *filter(None, sys.path)])
    command = ["-m", "tests.image.test_everywhere", str(folder / "values.npz")]
    ran = server.run(command, str(folder), environment={"PYTHONPATH": path})
    assert ran.exit_code == 0, ran.err
    return np.load(folder / "values.npz")


@pytest.mark.parametrize("kind", IMAGES)
@pytest.mark.parametrize("name", OPS)
def test_an_op_has_the_same_results_in_a_graph_in_a_dataset_and_eagerly(name: str, kind: str, eager: Any) -> None:
    image, seed = IMAGES[kind], seed_of(name, kind)
    in_graph = OPS[name](tf.constant(image), seed)
    dataset = tf.data.Dataset.from_tensors(image).map(lambda element: OPS[name](element, seed))
    in_dataset = tf.compat.v1.data.make_one_shot_iterator(dataset).get_next()
    assert in_graph.shape.is_fully_defined() or name in TURNED
    assert in_dataset.shape.as_list() == in_graph.shape.as_list()
    here, there = values([in_graph, in_dataset])[0]
    at_once = eager[f"{name} {kind}"]
    assert here.dtype == there.dtype == at_once.dtype
    # Where an optimiser may reorder floats, its last bit is not the op's.
    tolerance = 0 if here.dtype == np.uint8 else 2e-6
    assert np.allclose(here, there, rtol=tolerance, atol=tolerance)
    assert np.allclose(here, at_once, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", OPS)
def test_what_the_graph_knows_of_the_shape_is_kept(name: str) -> None:
    unknown = tf.compat.v1.placeholder_with_default(PICTURES, [None, 9, 8, 3])
    result = OPS[name](unknown, 1)
    assert result.shape.as_list()[1:] == OPS[name](tf.constant(PICTURES), 1).shape.as_list()[1:]
    result.shape.assert_is_compatible_with(values(result)[0].shape)


@pytest.mark.parametrize("name", ["rot90", "transpose_image", "flip_left_right", "random_flip_up_down", "cutout"])
def test_an_image_of_unknown_rank_is_a_single_one_as_in_tf1(name: str) -> None:
    """TensorFlow 2.x failed on the first two, and let the rank be lost by the others."""
    unknown = tf.compat.v1.placeholder_with_default(PICTURES[0], None)
    result = OPS[name](unknown, 1)
    assert result.shape.as_list() == [None, None, None]
    here, there = values([result, OPS[name](tf.constant(PICTURES[0]), 1)])[0]
    assert np.array_equal(here, there)
    with pytest.raises(tf.errors.InvalidArgumentError):
        values(OPS[name](tf.compat.v1.placeholder_with_default(PICTURES, None), 1))


if __name__ == "__main__":
    given = {
        f"{op} {kind}": OPS[op](tf.constant(image), seed_of(op, kind)) for op in OPS for kind, image in IMAGES.items()
    }
    np.savez(sys.argv[1], **{key: tensor.numpy() for key, tensor in given.items()})
