# call: setup_inputs(None, sorted(tf.gfile.Glob('pic_*.png')), image_size=4, batch_size=2)
# order: any
import tensorflow as tf


def setup_inputs(sess, filenames, image_size, capacity_factor=3, batch_size=16):
    # Read each file.
    reader = tf.WholeFileReader()
    filename_queue = tf.train.string_input_producer(filenames, num_epochs=2)
    key, value = reader.read(filename_queue)
    channels = 3
    image = tf.image.decode_png(value, channels=channels, name="dataset_image")
    image.set_shape([4, 6, channels])
    # Crop and shrink.
    image = tf.reshape(image[:, 1:5], [1, image_size, image_size, 3])
    image = tf.cast(image, tf.float32) / 256.0
    downsampled = tf.image.resize_area(image, [image_size // 2, image_size // 2])
    feature = tf.reshape(downsampled, [image_size // 2, image_size // 2, 3])
    label = tf.reshape(image, [image_size, image_size, 3])
    # Asynchronous.
    features, labels = tf.train.batch(
        [feature, label], batch_size=batch_size, num_threads=4, capacity=capacity_factor * batch_size, name="labels"
    )
    return features, labels
