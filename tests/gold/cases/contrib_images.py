"""Rotations and similar ops of ``tf.contrib.image``, and a pipeline that ends with one."""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .harness import Result, collect, error_at_call, gold
from .pictures import constant, each, of_unknown_shape, picture, pictures
from .records import images

__all__: list[str] = []


def _angles() -> Dict[str, Any]:
    return {"little": 0.1, "right": np.pi / 2, "back": -0.7, "far": 4.0}


@gold
def images_rotate_as_contrib_rotated_them(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        rotate = tf.contrib.image.rotate
        outputs: Dict[str, Any] = {}
        for name, angle in _angles().items():
            outputs.update(each(tf, **{name: lambda image, angle=angle: rotate(image, angle)}))
            outputs.update(
                each(
                    tf,
                    **{
                        f"{name}_smooth": lambda image, angle=angle: rotate(
                            image, angles=angle, interpolation="BILINEAR", name="named"
                        )
                    },
                )
            )
        outputs["own_angles"] = rotate(images(3), [0.3, -0.3, 1.0])
        outputs["own_angles_smooth"] = rotate(pictures(3), [0.3, -0.3, 1.0], "bilinear")
        outputs["matrix"] = rotate(images(1)[0][..., 0], 0.4)
        outputs["integers"] = rotate(images(1)[0].astype(np.int32), 0.4, "BILINEAR")
        outputs["unknown_size"] = rotate(of_unknown_shape(tf, picture(5, 4), [None, None, 3]), 0.4)
        return outputs

    return constant(tf, build)


@gold
def images_move_as_contrib_moved_them(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        translate = tf.contrib.image.translate
        outputs = each(
            tf,
            right_and_up=lambda image: translate(image, [2, -1]),
            half_a_pixel=lambda image: translate(image, [0.5, 1.5], interpolation="BILINEAR"),
            nearly_half=lambda image: translate(image, translations=[-0.4, 0.6], name="named"),
        )
        outputs["own_ways"] = translate(images(3), [[1, 0], [0, 2], [-1.0, -1.0]])
        outputs["own_ways_smooth"] = translate(pictures(3), [[0.2, 0], [0, 1.3], [-1, -1]], "BILINEAR")
        outputs["matrix"] = translate(images(1)[0][..., 0], [1, 1])
        return outputs

    return constant(tf, build)


@gold
def images_are_transformed_as_contrib_transformed_them(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        contrib = tf.contrib.image
        shear = np.array([1.1, 0.2, -0.3, 0.1, 0.9, 0.4, 0.01, 0.02], np.float32)
        turn = contrib.angles_to_projective_transforms(0.3, 6.0, 6.0)
        move = contrib.translations_to_projective_transforms([1.0, -1.0])
        both = contrib.compose_transforms(turn, move)
        outputs = each(
            tf,
            sheared=lambda image: contrib.transform(image, shear),
            sheared_smooth=lambda image: contrib.transform(image, transforms=shear, interpolation="BILINEAR"),
            larger=lambda image: contrib.transform(image, shear, output_shape=[8, 7], name="named"),
        )
        outputs.update(turn=turn, move=move, both=both)
        outputs["turns"] = contrib.angles_to_projective_transforms([0.1, 0.2], 5.0, tf.constant([4.0]), name="named")
        outputs["turned_and_moved"] = contrib.transform(images(1)[0], both)
        outputs["own_transforms"] = contrib.transform(images(2), np.stack([shear, shear * 0.9]))
        return outputs

    return constant(tf, build)


@gold
def contrib_refuses_what_it_refused(tf: Any) -> Result:
    contrib = tf.contrib.image
    image, batch = images(1)[0], images(2)
    calls: Dict[str, Callable[[], Any]] = {
        "rotated_vector": lambda: contrib.rotate(image[0, 0], 0.1),
        "rotated_rank_five": lambda: contrib.rotate(batch[None], 0.1),
        "rotated_texts": lambda: contrib.rotate([[["a"]]], 0.1),
        "rotated_bools": lambda: contrib.rotate(image > 9, 0.1),
        "rotated_unknown": lambda: contrib.rotate(of_unknown_shape(tf, image, None), 0.1),
        "angles_of_rank_two": lambda: contrib.rotate(batch, [[0.1], [0.2]]),
        "angles_for_others": lambda: contrib.rotate(batch, [0.1, 0.2, 0.3]),
        "angles_for_one": lambda: contrib.rotate(image, [0.1, 0.2]),
        "moved_by_a_scalar": lambda: contrib.translate(image, 1.0),
        "moved_by_one": lambda: contrib.translate(image, [1.0]),
        "transformed_by_seven": lambda: contrib.transform(image, [1.0] * 7),
        "transformed_by_rank_three": lambda: contrib.transform(image, [[[1.0] * 8]]),
        "transformed_to_one_number": lambda: contrib.transform(image, [1.0] * 8, output_shape=[3]),
        "interpolated_otherwise": lambda: contrib.rotate(image, 0.1, interpolation="CUBIC"),
        "composed_of_nothing": lambda: contrib.compose_transforms(),
    }
    return {name: error_at_call(tf, call) for name, call in calls.items()}


# -- in a pipeline ---------------------------------------------------------------------------


def _cifar(tf: Any) -> Dict[str, Any]:
    image, label = tf.train.slice_input_producer([images(5), np.arange(5)], num_epochs=3, shuffle=True, seed=1)
    image = tf.pad(image, [[2, 2], [2, 2], [0, 0]], "REFLECT")
    image = tf.random_crop(image, [6, 6, 3], seed=2)
    image = tf.image.random_flip_left_right(tf.cast(image, tf.float32), seed=3)
    image = tf.image.random_brightness(image, max_delta=63, seed=4)
    image = tf.image.random_contrast(image, lower=0.2, upper=1.8, seed=5)
    return {"image": tf.image.per_image_standardization(image), "label": label}


@gold
def the_cifar_tutorials_distortions_are_bit_exact_with_rotation(tf: Any) -> Result:
    """The usual chain to its end, a rotation by a drawn angle in it, batched."""

    def build() -> Any:
        example = _cifar(tf)
        angle = tf.random_uniform([], -0.3, 0.3, seed=6)
        example["image"] = tf.contrib.image.rotate(example["image"], angle, "BILINEAR")
        return tf.train.batch(example, batch_size=4)

    return collect(tf, build)
