# call: read_and_augment('faces', 2)
# order: fixed
import os

import tensorflow as tf


def get_dataset(path):
    persons = []
    for name in sorted(os.listdir(path)):
        folder = os.path.join(path, name)
        persons.append((name, [os.path.join(folder, image) for image in sorted(os.listdir(folder))]))
    return persons


def get_image_paths_and_labels(persons):
    paths, labels = [], []
    for label, (_, images) in enumerate(persons):
        paths += images
        labels += [label] * len(images)
    return paths, labels


def read_and_augment(path, batch_size, image_size=3, random_flip=False):
    image_list, label_list = get_image_paths_and_labels(get_dataset(path))
    images = tf.convert_to_tensor(image_list, dtype=tf.string)
    labels = tf.convert_to_tensor(label_list, dtype=tf.int32)
    input_queue = tf.train.slice_input_producer([images, labels], num_epochs=2, shuffle=False)
    file_contents = tf.read_file(input_queue[0])
    image = tf.image.decode_png(file_contents)
    label = input_queue[1]
    image = tf.image.resize_image_with_crop_or_pad(image, image_size, image_size)
    if random_flip:
        image = tf.image.random_flip_left_right(image)
    image.set_shape((image_size, image_size, 3))
    image = tf.image.per_image_standardization(tf.to_float(image))
    image_batch, label_batch = tf.train.batch(
        [tf.round(image * 100.0), label], batch_size=batch_size, capacity=12, allow_smaller_final_batch=True
    )
    return image_batch, label_batch
