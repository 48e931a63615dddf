"""Resizing, under TF1's names and with TF1's pixel centres.

All of these are TensorFlow's own: the results of ``tensorflow.compat.v1.image`` are those of 1.15.5, bit for bit,
for every method (there is a gold case of every argument). ``tf.image.resize`` without ``compat.v1`` has different
results: it samples at half-pixel centres.
"""

from __future__ import annotations

import tensorflow as tf

__all__ = [
    "ResizeMethod",
    "resize",
    "resize_area",
    "resize_bicubic",
    "resize_bilinear",
    "resize_image_with_pad",
    "resize_images",
    "resize_nearest_neighbor",
]

ResizeMethod = tf.compat.v1.image.ResizeMethod
resize = tf.compat.v1.image.resize
resize_area = tf.compat.v1.image.resize_area
resize_bicubic = tf.compat.v1.image.resize_bicubic
resize_bilinear = tf.compat.v1.image.resize_bilinear
resize_image_with_pad = tf.compat.v1.image.resize_image_with_pad
resize_images = tf.compat.v1.image.resize_images
resize_nearest_neighbor = tf.compat.v1.image.resize_nearest_neighbor
