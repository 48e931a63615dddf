import tensorflow as tf


class ImageList(object):
    def __init__(self, path, num_classes):
        self.num_classes = num_classes
        with open(path) as file:
            rows = [line.split() for line in file]
        self.names = [row[0] for row in rows]
        self.labels = [int(row[1]) for row in rows]
        self.data_size = len(rows)

    def batches(self, batch_size, num_epochs=None):
        name, label = tf.train.slice_input_producer([self.names, self.labels], num_epochs=num_epochs, shuffle=False)
        image = tf.image.decode_png(tf.read_file(name), channels=3)
        image = tf.to_float(tf.image.resize_image_with_crop_or_pad(image, 3, 3)) - 128.0
        images, labels = tf.train.batch([image, tf.one_hot(label, self.num_classes)], batch_size)
        return images, labels
