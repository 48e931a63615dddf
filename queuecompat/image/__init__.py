"""Image ops with TF1's names and results, and ops that users of TF1 wrote by hand or took from contrib.

Several crops of one image and their mirror images, each a separate example, shuffled over the batches::

    from queuecompat import image as image_ops, train

    image, label = train.slice_input_producer([images, labels])
    crops, crop_labels = image_ops.random_crops_and_mirrors(image, [24, 24, 3], 5, labels=label)
    batch, batch_labels = train.shuffle_batch(
        [crops, crop_labels], batch_size=128, capacity=5000, min_after_dequeue=2500, enqueue_many=True
    )

Rules of all functions here:

1. They are pure graph ops: they work in a graph, in a function of a dataset, and eagerly. Static shapes are kept.
2. The rank decides: ``[height, width, channels]`` is an image, ``[n, height, width, channels]`` a batch.
3. A function with a name of TF1 does what TF1 did, bit for bit with an op seed: the colour functions draw one random
   number for a batch unless ``per_image=True``. Functions that TF1 did not have draw one for each image of a batch.

``queuecompat.v1.image`` is ``tensorflow.compat.v1.image`` with these functions on top.
"""

from __future__ import annotations

from queuecompat.image.colour import (
    adjust_brightness,
    adjust_contrast,
    adjust_gamma,
    adjust_hue,
    adjust_saturation,
    random_brightness,
    random_contrast,
    random_gamma,
    random_hue,
    random_saturation,
)
from queuecompat.image.crops import (
    central_crop,
    crop_to_bounding_box,
    random_crop,
    random_crops,
    random_crops_and_mirrors,
    ten_crop,
)
from queuecompat.image.erasing import cutout
from queuecompat.image.flips import (
    flip_left_right,
    flip_up_down,
    random_flip_left_right,
    random_flip_up_down,
    rot90,
    transpose,
    transpose_image,
)
from queuecompat.image.geometry import (
    angles_to_projective_transforms,
    compose_transforms,
    flat_transforms_to_matrices,
    matrices_to_flat_transforms,
    random_rotate,
    random_translate,
    rotate,
    transform,
    translate,
    translations_to_projective_transforms,
)
from queuecompat.image.padding import (
    pad_reflect,
    pad_to_bounding_box,
    resize_image_with_crop_or_pad,
    resize_with_crop_or_pad,
)
from queuecompat.image.resizing import (
    ResizeMethod,
    resize,
    resize_area,
    resize_bicubic,
    resize_bilinear,
    resize_image_with_pad,
    resize_images,
    resize_nearest_neighbor,
)
from queuecompat.image.standardization import per_image_standardization, per_image_whitening

__all__ = [
    "ResizeMethod",
    "adjust_brightness",
    "adjust_contrast",
    "adjust_gamma",
    "adjust_hue",
    "adjust_saturation",
    "angles_to_projective_transforms",
    "central_crop",
    "compose_transforms",
    "crop_to_bounding_box",
    "cutout",
    "flat_transforms_to_matrices",
    "flip_left_right",
    "flip_up_down",
    "matrices_to_flat_transforms",
    "pad_reflect",
    "pad_to_bounding_box",
    "per_image_standardization",
    "per_image_whitening",
    "random_brightness",
    "random_contrast",
    "random_crop",
    "random_crops",
    "random_crops_and_mirrors",
    "random_flip_left_right",
    "random_flip_up_down",
    "random_gamma",
    "random_hue",
    "random_rotate",
    "random_saturation",
    "random_translate",
    "resize",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_image_with_crop_or_pad",
    "resize_image_with_pad",
    "resize_images",
    "resize_nearest_neighbor",
    "resize_with_crop_or_pad",
    "rot90",
    "rotate",
    "ten_crop",
    "transform",
    "translate",
    "translations_to_projective_transforms",
    "transpose",
    "transpose_image",
]
