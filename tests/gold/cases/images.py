"""Image ops that move pixels: every function that TF1 had and every argument of it, on single images and batches.

A case runs its graph three times if it draws random numbers, to show that seeded draws advance, and once if it does
not. Brightness and colours are in ``colours.py``, rotations in ``contrib_images.py``.
"""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .harness import Result, error_at_call, gold
from .pictures import BATCH, both_kinds, constant, drawn, each, every, of_unknown_shape, picture, pictures
from .records import images

__all__: list[str] = []


# -- crops and padding -----------------------------------------------------------------------


@gold
def crops_are_drawn_bit_for_bit(tf: Any) -> Result:
    """``tf.random_crop`` and ``tf.image.random_crop``, of any rank; a size of 4 crops one window for all."""

    def build() -> Dict[str, Any]:
        both = both_kinds(tf)
        return {
            "image": tf.random_crop(both["bytes"], [4, 3, 3], seed=1),
            "through_image": tf.image.random_crop(both["floats"], size=[4, 2, 3], seed=2, name="named"),
            "channels": tf.random_crop(both["bytes"], [6, 6, 1], seed=3),
            "batch": tf.random_crop(both["byte_batch"], [BATCH, 4, 5, 3], seed=4),
            "some_of_a_batch": tf.random_crop(both["float_batch"], [1, 4, 4, 3], seed=5),
            "vector": tf.random_crop(tf.range(20), [5], seed=6),
            "whole": tf.random_crop(both["bytes"], both["bytes"].shape, seed=7),
            "computed_size": tf.random_crop(both["bytes"], tf.constant([3, 2, 2]) + 1, seed=8),
            "unknown_shape": tf.random_crop(of_unknown_shape(tf, picture(5, 4), None), [3, 3, 3], seed=9),
        }

    return drawn(tf, build)


@gold
def crops_refuse_what_tf1_refuses(tf: Any) -> Result:
    image = images(1)[0]
    return {
        "of_a_size_too_short": error_at_call(tf, lambda: tf.random_crop(image, [4, 4])),
        "of_a_size_too_long": error_at_call(tf, lambda: tf.random_crop(image, [1, 4, 4, 3])),
        "of_a_float_size": error_at_call(tf, lambda: tf.random_crop(image, [4.0, 4.0, 3.0])),
        "of_a_text": error_at_call(tf, lambda: tf.random_crop(image, "ab")),
        "window_outside": error_at_call(tf, lambda: tf.image.crop_to_bounding_box(image, 3, 3, 4, 4)),
        "window_of_negative_offset": error_at_call(tf, lambda: tf.image.crop_to_bounding_box(image, -1, 0, 4, 4)),
        "window_of_nothing": error_at_call(tf, lambda: tf.image.crop_to_bounding_box(image, 0, 0, 0, 4)),
        "window_of_a_matrix": error_at_call(tf, lambda: tf.image.crop_to_bounding_box(image[0], 0, 0, 1, 1)),
        "pad_to_less": error_at_call(tf, lambda: tf.image.pad_to_bounding_box(image, 0, 0, 3, 3)),
        "pad_of_negative_offset": error_at_call(tf, lambda: tf.image.pad_to_bounding_box(image, -1, 0, 9, 9)),
        "pad_of_a_matrix": error_at_call(tf, lambda: tf.image.pad_to_bounding_box(image[0], 0, 0, 9, 9)),
        "fraction_of_nothing": error_at_call(tf, lambda: tf.image.central_crop(image, 0.0)),
        "fraction_above_one": error_at_call(tf, lambda: tf.image.central_crop(image, 1.5)),
        "fraction_of_a_matrix": error_at_call(tf, lambda: tf.image.central_crop(image[0], 0.5)),
        "crop_or_pad_to_nothing": error_at_call(tf, lambda: tf.image.resize_image_with_crop_or_pad(image, 0, 4)),
        "crop_or_pad_of_a_matrix": error_at_call(tf, lambda: tf.image.resize_image_with_crop_or_pad(image[0], 4, 4)),
    }


@gold
def windows_and_margins_are_those_of_tf1(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        unknown = of_unknown_shape(tf, images(1)[0], [None, None, 3])
        outputs = each(
            tf,
            window=lambda image: tf.image.crop_to_bounding_box(image, 1, 2, 4, 2),
            margin=lambda image: tf.image.pad_to_bounding_box(
                image, offset_height=1, offset_width=2, target_height=8, target_width=9
            ),
            half=lambda image: tf.image.central_crop(image, 0.5),
            most=lambda image: tf.image.central_crop(image, central_fraction=0.9),
            all=lambda image: tf.image.central_crop(image, 1.0),
        )
        outputs["window_of_unknown"] = tf.image.crop_to_bounding_box(unknown, 1, 0, 4, 5)
        outputs["margin_of_unknown"] = tf.image.pad_to_bounding_box(unknown, 1, 0, 8, 8)
        outputs["half_of_unknown"] = tf.image.central_crop(unknown, 0.4)
        nothing_known = of_unknown_shape(tf, images(1)[0], None)
        outputs["window_of_unknown_rank"] = tf.image.crop_to_bounding_box(nothing_known, 1, 0, 4, 5)
        outputs["margin_of_unknown_rank"] = tf.image.pad_to_bounding_box(nothing_known, 1, 0, 8, 8)
        outputs["computed_window"] = tf.image.crop_to_bounding_box(images(1)[0], tf.constant(1) + 1, 0, 3, 5)
        return outputs

    return constant(tf, build)


@gold
def crop_or_pad_keeps_the_centre_of_tf1(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        unknown = of_unknown_shape(tf, images(1)[0], [None, None, 3])
        outputs = each(
            tf,
            smaller=lambda image: tf.image.resize_image_with_crop_or_pad(image, 3, 3),
            larger=lambda image: tf.image.resize_image_with_crop_or_pad(image, target_height=9, target_width=7),
            mixed=lambda image: tf.image.resize_image_with_crop_or_pad(image, 3, 9),
            by_its_later_name=lambda image: tf.image.resize_with_crop_or_pad(image, 9, 3),
        )
        nothing_known = of_unknown_shape(tf, images(1)[0], None)
        outputs["mixed_of_unknown"] = tf.image.resize_image_with_crop_or_pad(unknown, 4, 9)
        outputs["mixed_of_unknown_rank"] = tf.image.resize_image_with_crop_or_pad(nothing_known, 4, 9)
        outputs["computed"] = tf.image.resize_image_with_crop_or_pad(images(1)[0], tf.constant(4) + 1, 9)
        return outputs

    return constant(tf, build)


# -- flips and turns -------------------------------------------------------------------------


@gold
def flips_and_turns_are_those_of_tf1(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        outputs = each(
            tf,
            mirrored=tf.image.flip_left_right,
            upended=tf.image.flip_up_down,
            transposed=tf.image.transpose_image,
            transposed_again=lambda image: tf.image.transpose(image, name="named"),
            turned=tf.image.rot90,
            turned_thrice=lambda image: tf.image.rot90(image, k=3, name="named"),
        )
        outputs["turned_back"] = tf.image.rot90(images(1)[0], k=-1)
        outputs["computed_turns"] = tf.image.rot90(images(BATCH), k=tf.constant(1) + 1)
        unknown = of_unknown_shape(tf, picture(5, 4), None)
        outputs["mirrored_unknown"] = tf.image.flip_left_right(unknown)
        outputs["upended_unknown"] = tf.image.flip_up_down(unknown)
        outputs["transposed_unknown"] = tf.image.transpose_image(unknown)
        outputs["turned_unknown"] = tf.image.rot90(unknown)
        return outputs

    return constant(tf, build)


@gold
def flips_are_drawn_bit_for_bit(tf: Any) -> Result:
    """One draw for an image, one for each image of a batch."""

    def build() -> Dict[str, Any]:
        outputs = every(
            tf,
            mirrored=lambda image: tf.image.random_flip_left_right(image, seed=1),
            upended=lambda image: tf.image.random_flip_up_down(image, seed=2),
        )
        unknown = of_unknown_shape(tf, picture(5, 4), None)
        outputs["mirrored_unknown"] = tf.image.random_flip_left_right(unknown, seed=3)
        outputs["upended_unknown"] = tf.image.random_flip_up_down(unknown, seed=3)
        outputs["eight"] = tf.image.random_flip_left_right(images(8)[:, :2, :2], seed=4)
        return outputs

    return drawn(tf, build)


@gold
def flips_refuse_what_tf1_refuses(tf: Any) -> Result:
    matrix, five = np.zeros((4, 4), np.float32), np.zeros((2, 2, 4, 4, 3), np.float32)
    return {
        "mirror_of_a_matrix": error_at_call(tf, lambda: tf.image.flip_left_right(matrix)),
        "mirror_of_rank_five": error_at_call(tf, lambda: tf.image.flip_left_right(five)),
        "drawn_mirror_of_a_matrix": error_at_call(tf, lambda: tf.image.random_flip_left_right(matrix)),
        "drawn_mirror_of_rank_five": error_at_call(tf, lambda: tf.image.random_flip_up_down(five)),
        "transposed_matrix": error_at_call(tf, lambda: tf.image.transpose_image(matrix)),
        "turned_matrix": error_at_call(tf, lambda: tf.image.rot90(matrix)),
        "turned_rank_five": error_at_call(tf, lambda: tf.image.rot90(five)),
        "turned_by_a_vector": error_at_call(tf, lambda: tf.image.rot90(images(1)[0], k=[1, 2])),
    }


# -- sizes -----------------------------------------------------------------------------------


def _sizes(tf: Any, method: Any, **arguments: Any) -> Dict[str, Any]:
    return each(
        tf,
        larger=lambda image: tf.image.resize_images(image, [9, 7], method=method, **arguments),
        smaller=lambda image: tf.image.resize_images(image, [3, 2], method, **arguments),
        mixed=lambda image: tf.image.resize(image, size=[2, 9], method=method, **arguments),
    )


def _resized(tf: Any, method: str) -> Result:
    def build() -> Dict[str, Any]:
        kind = getattr(tf.image.ResizeMethod, method)
        outputs = _sizes(tf, kind)
        outputs.update({f"aligned_{key}": value for key, value in _sizes(tf, kind, align_corners=True).items()})
        return outputs

    return constant(tf, build)


@gold
def bilinear_sizes_have_the_pixel_centres_of_tf1(tf: Any) -> Result:
    return _resized(tf, "BILINEAR")


@gold
def nearest_sizes_have_the_pixel_centres_of_tf1(tf: Any) -> Result:
    return _resized(tf, "NEAREST_NEIGHBOR")


@gold
def bicubic_sizes_have_the_pixel_centres_of_tf1(tf: Any) -> Result:
    return _resized(tf, "BICUBIC")


@gold
def area_sizes_are_those_of_tf1(tf: Any) -> Result:
    return _resized(tf, "AREA")


@gold
def sizes_take_every_argument_of_tf1(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        wide = tf.constant(picture(4, 8))
        unknown = of_unknown_shape(tf, images(1)[0], [None, None, 3])
        return {
            "kept_ratio": tf.image.resize_images(wide, [6, 6], preserve_aspect_ratio=True),
            "kept_ratio_of_bytes": tf.image.resize(images(BATCH), [9, 3], preserve_aspect_ratio=True),
            "kept_ratio_of_unknown": tf.image.resize_images(unknown, [4, 8], preserve_aspect_ratio=True),
            "same_size": tf.image.resize_images(images(1)[0], [6, 6]),
            "named": tf.image.resize_images(wide, [2, 2], 0, False, False, "named"),
            "method_by_number": tf.image.resize_images(wide, [2, 3], 1),
            "computed_size": tf.image.resize_images(wide, tf.constant([1, 2]) + 1),
            "unknown": tf.image.resize_images(unknown, [3, 3]),
            "padded_unknown": tf.image.resize_image_with_pad(unknown, 3, 5),
            "padded": tf.image.resize_image_with_pad(wide, 6, 6),
            "padded_bytes": tf.image.resize_image_with_pad(images(BATCH), target_height=4, target_width=9),
            "padded_nearest": tf.image.resize_image_with_pad(images(1)[0], 9, 4, method=1),
            "padded_aligned": tf.image.resize_image_with_pad(wide, 3, 9, align_corners=True),
            "padded_area": tf.image.resize_image_with_pad(wide, 3, 3, tf.image.ResizeMethod.AREA),
            "padded_wide": tf.image.resize_image_with_pad(wide, 4, 7),
            "padded_wide_unknown": tf.image.resize_image_with_pad(of_unknown_shape(tf, picture(4, 8), None), 7, 14),
            "padded_wide_batch": tf.image.resize_image_with_pad(tf.stack([wide, wide]), tf.constant(7), 13),
            "op_bilinear": tf.image.resize_bilinear(images(BATCH), [4, 9], half_pixel_centers=True),
            "op_nearest": tf.image.resize_nearest_neighbor(images(BATCH), [4, 9], align_corners=True),
            "op_bicubic": tf.image.resize_bicubic(images(BATCH), [4, 9], half_pixel_centers=True),
            "op_area": tf.image.resize_area(images(BATCH), [4, 9]),
        }

    return constant(tf, build)


@gold
def sizes_refuse_what_tf1_refuses(tf: Any) -> Result:
    image = images(1)[0]
    return {
        "of_a_matrix": error_at_call(tf, lambda: tf.image.resize_images(image[0], [3, 3])),
        "to_one_number": error_at_call(tf, lambda: tf.image.resize_images(image, [3])),
        "to_a_scalar": error_at_call(tf, lambda: tf.image.resize_images(image, 3)),
        "by_no_method": error_at_call(tf, lambda: tf.image.resize_images(image, [3, 3], method=9)),
        "to_height_and_width_apart": error_at_call(tf, lambda: tf.image.resize_images(image, 3, 3)),
        "padded_matrix": error_at_call(tf, lambda: tf.image.resize_image_with_pad(image[0], 3, 3)),
        "padded_to_nothing": error_at_call(tf, lambda: tf.image.resize_image_with_pad(image, 0, 3)),
    }


# Two frames of one colour each; all pixels of the second, a square within the first, are transparent.
_TRANSPARENT_GIF = (
    b"GIF89a\x05\x00\x04\x00\x81\x00\x00\xc8\x1e<\n\xdcZ\x00\x00\x00\x00\x00\x00"
    b",\x00\x00\x00\x00\x05\x00\x04\x00\x00\x08\t\x00\x01\x08\x1cH\xb0`\xc1\x80\x00"
    b"!\xf9\x04\x01\x00\x00\x00\x00"
    b",\x01\x00\x01\x00\x02\x00\x02\x00\x81\n\xdcZ\xc8\x1e<\x00\x00\x00\x00\x00\x00\x08\x06\x00\x01\x08\x04\x10\x10\x00;"
)


@gold
def frames_of_a_gif_are_decoded(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        opaque = _TRANSPARENT_GIF.replace(b"!\xf9\x04\x01", b"!\xf9\x04\x00")
        return {"opaque": tf.image.decode_gif(opaque), "transparent": tf.image.decode_gif(_TRANSPARENT_GIF)}

    return constant(tf, build)


# -- what compat.v1 has under the same name, and we leave alone --------------------------------


@gold
def other_image_ops_agree_with_tf1(tf: Any) -> Result:
    """Without those that multiply matrices (``rgb_to_yuv``): their last bits depend on the processor."""

    def build() -> Dict[str, Any]:
        boxes = np.array([[0.1, 0.2, 0.9, 0.7], [0.0, 0.0, 0.5, 0.5]], np.float32)
        batch = tf.constant(pictures(2))
        begin, size, box = tf.image.sample_distorted_bounding_box([40, 50, 3], boxes[None], seed=1)
        outputs = each(
            tf,
            as_floats=lambda image: tf.image.convert_image_dtype(image, tf.float32),
            as_bytes=lambda image: tf.image.convert_image_dtype(image, tf.uint8, saturate=True),
            grey=tf.image.rgb_to_grayscale,
        )
        outputs.update(
            hsv=tf.image.rgb_to_hsv(batch),
            rgb=tf.image.hsv_to_rgb(batch),
            from_grey=tf.image.grayscale_to_rgb(batch[..., :1]),
            boxes_cut=tf.image.crop_and_resize(batch, boxes, [0, 1], [3, 3]),
            boxes_drawn=tf.image.draw_bounding_boxes(batch, np.stack([boxes, boxes])),
            begin=begin,
            size=size,
            box=box,
            glimpse=tf.image.extract_glimpse(batch, [3, 3], [[0.0, 0.1], [0.2, 0.0]]),
            patches=tf.image.extract_image_patches(batch, [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"),
            variation=tf.image.total_variation(batch),
            edges=tf.image.sobel_edges(batch)[:, :2],
            noise_ratio=tf.image.psnr(batch, batch[::-1], 1.0),
        )
        return outputs

    return drawn(tf, build)
