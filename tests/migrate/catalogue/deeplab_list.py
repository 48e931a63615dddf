# call: ImageReader('.', 'pairs.txt', (3, 4)).dequeue(2)
# order: fixed
import os

import tensorflow as tf


def read_labeled_image_list(data_dir, data_list):
    images, masks = [], []
    with open(data_list) as f:
        for line in f:
            image, mask = line.strip("\n").split(" ")
            images.append(os.path.join(data_dir, image))
            masks.append(os.path.join(data_dir, mask))
    return images, masks


def read_images_from_disk(input_queue, input_size, ignore_label=255):
    img_contents = tf.read_file(input_queue[0])
    label_contents = tf.read_file(input_queue[1])
    img = tf.image.decode_png(img_contents, channels=3)
    img_r, img_g, img_b = tf.split(axis=2, num_or_size_splits=3, value=img)
    img = tf.cast(tf.concat(axis=2, values=[img_b, img_g, img_r]), dtype=tf.float32)
    img -= [104.0, 116.0, 122.0]
    label = tf.image.decode_png(label_contents, channels=1)
    if input_size is not None:
        h, w = input_size
        label = tf.cast(label, dtype=tf.float32) - ignore_label
        combined = tf.concat(axis=2, values=[img, label])
        combined = tf.image.pad_to_bounding_box(combined, 0, 0, tf.maximum(h, 4), tf.maximum(w, 6))[:h, :w]
        img, label = combined[:, :, :3], tf.cast(combined[:, :, 3:] + ignore_label, tf.uint8)
        img.set_shape((h, w, 3))
        label.set_shape((h, w, 1))
    return img, label


class ImageReader(object):
    def __init__(self, data_dir, data_list, input_size):
        self.data_dir = data_dir
        self.data_list = data_list
        self.input_size = input_size
        self.image_list, self.label_list = read_labeled_image_list(self.data_dir, self.data_list)
        self.images = tf.convert_to_tensor(self.image_list, dtype=tf.string)
        self.labels = tf.convert_to_tensor(self.label_list, dtype=tf.string)
        self.queue = tf.train.slice_input_producer([self.images, self.labels], shuffle=False)
        self.image, self.label = read_images_from_disk(self.queue, self.input_size)

    def dequeue(self, num_elements):
        image_batch, label_batch = tf.train.batch([self.image, self.label], num_elements)
        return image_batch, label_batch
