"""Pictures and masks of streets: scaled, mirrored and cropped together."""

import os

import tensorflow as tf

IGNORE_LABEL = 255


def image_scaling(img, label):
    scale = tf.random_uniform([1], minval=0.75, maxval=1.25, dtype=tf.float32, seed=21)
    h_new = tf.to_int32(tf.multiply(tf.to_float(tf.shape(img)[0]), scale))
    w_new = tf.to_int32(tf.multiply(tf.to_float(tf.shape(img)[1]), scale))
    new_shape = tf.squeeze(tf.stack([h_new, w_new]), squeeze_dims=[1])
    img = tf.image.resize_images(img, new_shape)
    label = tf.image.resize_nearest_neighbor(tf.expand_dims(label, 0), new_shape)
    return img, tf.squeeze(label, squeeze_dims=[0])


def image_mirroring(img, label):
    distort_left_right_random = tf.random_uniform([1], 0, 1.0, dtype=tf.float32, seed=22)[0]
    mirror = tf.less(tf.stack([1.0, distort_left_right_random, 1.0]), 0.5)
    mirror = tf.boolean_mask([0, 1, 2], mirror)
    return tf.reverse(img, mirror), tf.reverse(label, mirror)


def random_crop_and_pad_image_and_labels(image, label, crop_h, crop_w):
    label = tf.cast(label, dtype=tf.float32) - IGNORE_LABEL
    combined = tf.concat(axis=2, values=[image, label])
    image_shape = tf.shape(image)
    combined_pad = tf.image.pad_to_bounding_box(
        combined, 0, 0, tf.maximum(crop_h, image_shape[0]), tf.maximum(crop_w, image_shape[1])
    )
    last_image_dim = tf.shape(image)[-1]
    combined_crop = tf.random_crop(combined_pad, [crop_h, crop_w, 4], seed=23)
    img_crop = combined_crop[:, :, :last_image_dim]
    label_crop = tf.cast(combined_crop[:, :, last_image_dim:] + IGNORE_LABEL, dtype=tf.uint8)
    img_crop.set_shape((crop_h, crop_w, 3))
    label_crop.set_shape((crop_h, crop_w, 1))
    return img_crop, label_crop


def read_labeled_image_list(data_dir, data_list):
    images, masks = [], []
    with open(data_list, "r") as f:
        for line in f:
            image, mask = line.strip("\n").split(" ")
            images.append(data_dir + image)
            masks.append(data_dir + mask)
    return images, masks


class ImageReader(object):
    """Reads pairs in the order of the list."""

    def __init__(self, data_dir, data_list, input_size, random_scale, random_mirror):
        self.image_list, self.label_list = read_labeled_image_list(data_dir, data_list)
        self.images = tf.convert_to_tensor(self.image_list, dtype=tf.string)
        self.labels = tf.convert_to_tensor(self.label_list, dtype=tf.string)
        self.queue = tf.train.slice_input_producer([self.images, self.labels], shuffle=input_size is None)
        img = tf.image.decode_jpeg(tf.read_file(self.queue[0]), channels=3)
        img_r, img_g, img_b = tf.split(axis=2, num_or_size_splits=3, value=img)
        img = tf.cast(tf.concat(axis=2, values=[img_b, img_g, img_r]), dtype=tf.float32)
        img -= [104.0, 116.5, 122.5]
        label = tf.image.decode_png(tf.read_file(self.queue[1]), channels=1)
        if random_scale:
            img, label = image_scaling(img, label)
        if random_mirror:
            img, label = image_mirroring(img, label)
        self.image, self.label = random_crop_and_pad_image_and_labels(img, label, *input_size)

    def dequeue(self, num_elements):
        return tf.train.batch([self.image, self.label], num_elements)


def inputs(data_dir, batch_size):
    with tf.name_scope("create_inputs"):
        folder = os.path.join(data_dir, "streets")
        reader = ImageReader(folder, os.path.join(folder, "train.txt"), (32, 32), True, True)
        return reader.dequeue(batch_size)
