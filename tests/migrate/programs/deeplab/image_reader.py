import tensorflow as tf


def read_list(path):
    images, masks = [], []
    with open(path) as file:
        for line in file:
            image, mask = line.split()
            images.append(image)
            masks.append(mask)
    return images, masks


def read_images(names, mean):
    image = tf.image.decode_png(tf.read_file(names[0]), channels=3)
    red, green, blue = tf.split(image, 3, axis=2)
    image = tf.cast(tf.concat([blue, green, red], 2), tf.float32) - mean
    label = tf.image.decode_png(tf.read_file(names[1]), channels=1)
    image.set_shape([4, 6, 3])
    label.set_shape([4, 6, 1])
    return image, label


class ImageReader(object):
    """Reads the pairs of a list."""

    def __init__(self, data_list, mean, coord):
        self.coord = coord
        self.image_list, self.label_list = read_list(data_list)
        self.images = tf.convert_to_tensor(self.image_list, dtype=tf.string)
        self.labels = tf.convert_to_tensor(self.label_list, dtype=tf.string)
        self.queue = tf.train.slice_input_producer([self.images, self.labels], shuffle=False)
        self.image, self.label = read_images(self.queue, mean)

    def dequeue(self, num_elements):
        image_batch, label_batch = tf.train.batch([self.image, self.label], num_elements)
        return image_batch, label_batch
