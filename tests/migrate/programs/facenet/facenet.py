import os

import tensorflow as tf


class ImageClass():
    """The pictures of one person."""

    def __init__(self, name, image_paths):
        self.name = name
        self.image_paths = image_paths

    def __len__(self):
        return len(self.image_paths)


def get_dataset(path):
    dataset = []
    for name in sorted(os.listdir(path)):
        folder = os.path.join(path, name)
        dataset.append(ImageClass(name, [os.path.join(folder, one) for one in sorted(os.listdir(folder))]))
    return dataset


def read_images(image_list, label_list, batch_size, epoch_limit=None):
    name, label = tf.train.slice_input_producer([image_list, label_list], num_epochs=epoch_limit, shuffle=False)
    image = tf.image.decode_png(tf.read_file(name), channels=3)
    image = tf.image.resize_image_with_crop_or_pad(image, 4, 4)
    image.set_shape([4, 4, 3])
    image = tf.image.per_image_standardization(tf.to_float(image))
    return tf.train.batch([image, label], batch_size, capacity=16, allow_smaller_final_batch=True)


def center_loss(features, label, alfa, classes):
    centers = tf.get_variable(
        "centers", [classes, features.get_shape()[1]], initializer=tf.constant_initializer(0), trainable=False
    )
    centers_batch = tf.gather(centers, label)
    update = tf.scatter_sub(centers, label, (1 - alfa) * (centers_batch - features))
    with tf.control_dependencies([update]):
        return tf.reduce_mean(tf.square(features - centers_batch))
