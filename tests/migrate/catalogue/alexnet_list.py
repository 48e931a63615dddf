# call: ImageDataQueue('labels.txt', num_classes=3).batch(2)
# order: fixed
import tensorflow as tf


class ImageDataQueue(object):
    def __init__(self, class_list, num_classes, horizontal_flip=False, scale=(3, 3)):
        self.num_classes = num_classes
        self.horizontal_flip = horizontal_flip
        self.scale = scale
        self.read_class_list(class_list)

    def read_class_list(self, class_list):
        with open(class_list) as f:
            lines = f.readlines()
        self.images = []
        self.labels = []
        for line in lines:
            items = line.split()
            self.images.append(items[0])
            self.labels.append(int(items[1]))
        self.data_size = len(self.labels)

    def _load(self, path):
        img = tf.image.decode_png(tf.read_file(path), channels=3)
        img = tf.image.resize_image_with_crop_or_pad(img, self.scale[0], self.scale[1])
        if self.horizontal_flip:
            img = tf.image.random_flip_left_right(img)
        return tf.to_float(img)[:, :, ::-1]

    def batch(self, batch_size):
        path, label = tf.train.slice_input_producer([self.images, self.labels], shuffle=False)
        one_hot = tf.one_hot(label, self.num_classes)
        return tf.train.batch([self._load(path), one_hot], batch_size=batch_size)
