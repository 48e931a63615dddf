"""Reading pairs of a picture and its mask for segmentation.py."""
import os

import tensorflow as tf

IGNORE_LABEL = 255


def image_scaling(img, label):
    """Scales both by one random factor in [0.5, 1.5]; masks keep their classes."""
    scale = tf.random_uniform([1], minval=0.5, maxval=1.5, dtype=tf.float32, seed=11)
    h_new = tf.to_int32(tf.multiply(tf.to_float(tf.shape(img)[0]), scale))
    w_new = tf.to_int32(tf.multiply(tf.to_float(tf.shape(img)[1]), scale))
    new_shape = tf.squeeze(tf.stack([h_new, w_new]), squeeze_dims=[1])
    img = tf.image.resize_images(img, new_shape)
    label = tf.image.resize_nearest_neighbor(tf.expand_dims(label, 0), new_shape)
    return img, tf.squeeze(label, squeeze_dims=[0])


def image_mirroring(img, label):
    """Mirrors both, or neither."""
    distort_left_right_random = tf.random_uniform([1], 0, 1.0, dtype=tf.float32, seed=12)[0]
    mirror = tf.less(tf.stack([1.0, distort_left_right_random, 1.0]), 0.5)
    mirror = tf.boolean_mask([0, 1, 2], mirror)
    return tf.reverse(img, mirror), tf.reverse(label, mirror)


def random_crop_and_pad(image, label, crop_h, crop_w):
    """One window for both; what lies outside of a mask has no class."""
    label = tf.cast(label, dtype=tf.float32) - IGNORE_LABEL  # Padding is zero; this undoes itself below.
    combined = tf.concat(axis=2, values=[image, label])
    image_shape = tf.shape(image)
    combined_pad = tf.image.pad_to_bounding_box(
        combined, 0, 0, tf.maximum(crop_h, image_shape[0]), tf.maximum(crop_w, image_shape[1]))
    combined_crop = tf.random_crop(combined_pad, [crop_h, crop_w, 4], seed=13)
    img_crop = combined_crop[:, :, :3]
    label_crop = tf.cast(combined_crop[:, :, 3:] + IGNORE_LABEL, dtype=tf.uint8)
    # Static shapes, so that batches can be made.
    img_crop.set_shape((crop_h, crop_w, 3))
    label_crop.set_shape((crop_h, crop_w, 1))
    return img_crop, label_crop


def read_labeled_image_list(data_dir, data_list):
    """Two lists of paths from a file with lines '/path/to/image /path/to/mask'."""
    images, masks = [], []
    with open(data_list) as f:
        for line in f:
            image, mask = line.strip('\n').split(' ')
            images.append(data_dir + image)
            masks.append(data_dir + mask)
    return images, masks


class ImageReader(object):
    """Reads pictures and masks, and makes batches of equal windows of them."""

    def __init__(self, data_dir, data_list, input_size, random_scale, random_mirror, num_epochs=None):
        self.image_list, self.label_list = read_labeled_image_list(data_dir, os.path.join(data_dir, data_list))
        self.images = tf.convert_to_tensor(self.image_list, dtype=tf.string)
        self.labels = tf.convert_to_tensor(self.label_list, dtype=tf.string)
        self.queue = tf.train.slice_input_producer(
            [self.images, self.labels], num_epochs=num_epochs, shuffle=input_size is not None, seed=10)
        img = tf.cast(tf.image.decode_jpeg(tf.read_file(self.queue[0]), channels=3), dtype=tf.float32)
        label = tf.image.decode_png(tf.read_file(self.queue[1]), channels=1)
        if input_size is not None:
            if random_scale:
                img, label = image_scaling(img, label)
            if random_mirror:
                img, label = image_mirroring(img, label)
            img, label = random_crop_and_pad(img, label, *input_size)
        self.image, self.label = img, label

    def dequeue(self, num_elements):
        return tf.train.batch([self.image, self.label], num_elements)
