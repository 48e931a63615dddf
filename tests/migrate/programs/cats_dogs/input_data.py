import os

import tensorflow as tf


def get_files(file_dir):
    """Paths and labels: a label for each folder."""
    images, labels = [], []
    for label, name in enumerate(sorted(os.listdir(file_dir))):
        for file in sorted(os.listdir(os.path.join(file_dir, name))):
            images.append(os.path.join(file_dir, name, file))
            labels.append(label)
    return images, labels


def get_batch(image, label, image_w, image_h, batch_size, capacity):
    image = tf.cast(image, tf.string)
    label = tf.cast(label, tf.int32)
    input_queue = tf.train.slice_input_producer([image, label], shuffle=False)
    label = input_queue[1]
    contents = tf.read_file(input_queue[0])
    image = tf.image.decode_png(contents, channels=3)
    image = tf.image.resize_image_with_crop_or_pad(image, image_h, image_w)
    image = tf.image.per_image_standardization(tf.to_float(image))
    image_batch, label_batch = tf.train.batch([image, label], batch_size=batch_size, num_threads=1, capacity=capacity)
    label_batch = tf.reshape(label_batch, [batch_size])
    return image_batch, label_batch
