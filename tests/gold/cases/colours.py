"""Image ops that change the values of pixels: every function that TF1 had and every argument of it."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .harness import Result, error_at_call, gold
from .pictures import constant, drawn, each, every, fed, of_unknown_shape, picture, pictures
from .records import images

__all__: list[str] = []


@gold
def colours_are_adjusted_bit_for_bit(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        return each(
            tf,
            brighter=lambda image: tf.image.adjust_brightness(image, 0.2),
            darker=lambda image: tf.image.adjust_brightness(image, delta=-0.3),
            more_contrast=lambda image: tf.image.adjust_contrast(image, 1.7),
            less_contrast=lambda image: tf.image.adjust_contrast(image, contrast_factor=0.3),
            more_colour=lambda image: tf.image.adjust_saturation(image, 1.7),
            less_colour=lambda image: tf.image.adjust_saturation(image, saturation_factor=0.3, name="named"),
            other_colour=lambda image: tf.image.adjust_hue(image, 0.2),
            other_colour_back=lambda image: tf.image.adjust_hue(image, delta=-0.4, name="named"),
        )

    return constant(tf, build)


@gold
def gamma_is_adjusted_as_in_tf1(tf: Any) -> Result:
    """Powers are the C library's in 1.15 and Eigen's in 2.x: floats agree but for their last bit."""

    def build() -> Dict[str, Any]:
        outputs = each(
            tf,
            same=tf.image.adjust_gamma,
            darker=lambda image: tf.image.adjust_gamma(image, 2.2),
            louder=lambda image: tf.image.adjust_gamma(image, gamma=0.4, gain=0.5),
        )
        is_float = {name: output.dtype == tf.float32 for name, output in outputs.items()}
        return {name: tf.round(output * 1e5) if is_float[name] else output for name, output in outputs.items()}

    return constant(tf, build)


@gold
def colours_of_a_larger_image_are_adjusted_bit_for_bit(tf: Any) -> Result:
    """Large enough for the means of the contrast to depend on the order of their sums."""

    def build() -> Dict[str, Any]:
        image = fed(tf, picture(33, 31))
        return {
            "contrast": tf.image.adjust_contrast(image, 1.7)[::8, ::8],
            "contrast_of_large_values": tf.image.adjust_contrast(image * 255, 0.3)[::8, ::8],
            "saturation": tf.image.adjust_saturation(image, 1.3)[::8, ::8],
            "hue": tf.image.adjust_hue(image, 0.3)[::8, ::8],
        }

    return constant(tf, build)


@gold
def colours_are_drawn_bit_for_bit(tf: Any) -> Result:
    """One draw for the whole of a batch."""

    def build() -> Dict[str, Any]:
        return every(
            tf,
            brightness=lambda image: tf.image.random_brightness(image, 0.3, seed=1),
            contrast=lambda image: tf.image.random_contrast(image, 0.2, upper=1.8, seed=2),
            saturation=lambda image: tf.image.random_saturation(image, 0.2, upper=1.8, seed=3),
            hue=lambda image: tf.image.random_hue(image, max_delta=0.4, seed=4),
        )

    return drawn(tf, build)


@gold
def colours_refuse_what_tf1_refuses(tf: Any) -> Result:
    image = picture(4, 4)
    return {
        "brightness_below_zero": error_at_call(tf, lambda: tf.image.random_brightness(image, -0.1)),
        "contrast_the_wrong_way": error_at_call(tf, lambda: tf.image.random_contrast(image, 0.9, 0.1)),
        "contrast_below_zero": error_at_call(tf, lambda: tf.image.random_contrast(image, -0.1, 0.1)),
        "saturation_the_wrong_way": error_at_call(tf, lambda: tf.image.random_saturation(image, 0.9, 0.1)),
        "saturation_below_zero": error_at_call(tf, lambda: tf.image.random_saturation(image, -0.9, 0.1)),
        "saturation_of_grey": error_at_call(tf, lambda: tf.image.random_saturation(image[..., :1], 0.1, 0.9)),
        "hue_above_a_half": error_at_call(tf, lambda: tf.image.random_hue(image, 0.6)),
        "hue_below_zero": error_at_call(tf, lambda: tf.image.random_hue(image, -0.1)),
        "gamma_below_zero": error_at_call(tf, lambda: tf.image.adjust_gamma(image, -1.0)),
        "standardized_matrix": error_at_call(tf, lambda: tf.image.per_image_standardization(image[0])),
        "contrast_of_a_matrix": error_at_call(tf, lambda: tf.image.adjust_contrast(image[0], 0.5)),
    }


@gold
def images_are_standardized_bit_for_bit(tf: Any) -> Result:
    """Sums are rounded: their order is TF1's own, whatever the size."""

    def build() -> Dict[str, Any]:
        standardized = tf.image.per_image_standardization
        outputs = each(tf, standardized=standardized)
        for height, width, channels in [(1, 1, 1), (24, 24, 3), (28, 28, 1), (32, 32, 3), (53, 67, 3), (96, 96, 3)]:
            image = fed(tf, picture(height, width, channels))
            few = slice(None, None, max(1, height // 6))
            name = f"{height}_by_{width}_by_{channels}"
            outputs[name] = standardized(image)[few, few]
            outputs[f"{name}_to_255"] = standardized(image * 255)[few, few]
        even = np.full((4, 4, 3), 0.25, np.float32)
        nearly = even.copy()
        nearly[0, 0, 0] = 0.5
        outputs["even"] = standardized(fed(tf, even))
        outputs["nearly_even"] = standardized(fed(tf, nearly))
        outputs["batch_of_larger"] = standardized(fed(tf, pictures(5, 24, 24)))[:, ::8, ::8]
        # Not more: from eight on, 1.15 takes roots by an approximation that is the processor's own.
        outputs["batch_of_seven"] = standardized(fed(tf, pictures(7)))[:, :2, :2]
        outputs["batch_of_batches"] = standardized(fed(tf, pictures(6).reshape(2, 3, 5, 4, 3)))
        outputs["doubles"] = standardized(fed(tf, picture(5, 4).astype(np.float64)))
        outputs["integers"] = standardized(fed(tf, images(1)[0].astype(np.int32)))
        return outputs

    return constant(tf, build)


@gold
def halves_are_standardized_as_in_tf1(tf: Any) -> Result:
    def build() -> Dict[str, Any]:
        return {
            "small": tf.image.per_image_standardization(picture(5, 4).astype(np.float16)),
            "batch": tf.image.per_image_standardization(pictures(3).astype(np.float16)),
        }

    return constant(tf, build)


@gold
def images_of_unknown_size_are_standardized_as_in_tf1(tf: Any) -> Result:
    """Bit for bit where the graph knows the size of an image, and to four digits where it does not."""

    def build() -> Dict[str, Any]:
        standardized = tf.image.per_image_standardization
        unknown = standardized(of_unknown_shape(tf, pictures(2, 24, 24), [2, None, 24, 3]))
        nothing_known = standardized(of_unknown_shape(tf, picture(5, 4), None))
        return {
            "batch_of_unknown_length": standardized(of_unknown_shape(tf, pictures(2), [None, 5, 4, 3])),
            "unknown": tf.round(unknown[:, ::8, ::8] * 1e4),
            "unknown_rank": tf.round(nothing_known * 1e4),
        }

    return constant(tf, build)
