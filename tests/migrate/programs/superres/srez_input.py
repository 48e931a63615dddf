import tensorflow as tf


def setup_inputs(filenames, image_size, batch_size=2):
    """Small pictures, and what they are to become."""
    reader = tf.WholeFileReader()
    filename_queue = tf.train.string_input_producer(filenames, shuffle=False)
    _, value = reader.read(filename_queue)
    image = tf.image.decode_png(value, channels=3, name="dataset_image")
    image.set_shape([4, 6, 3])
    image = tf.cast(image[:, :image_size], tf.float32) / 255.0
    downsampled = tf.image.resize_area(tf.expand_dims(image, 0), [image_size // 2, image_size // 2])
    feature = tf.reshape(downsampled, [image_size // 2, image_size // 2, 3])
    features, labels = tf.train.batch([feature, image], batch_size=batch_size, capacity=8, name="labels_and_features")
    return features, labels
