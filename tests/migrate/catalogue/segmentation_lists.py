# call: inputs('pairs.txt', 2)
# order: fixed
import tensorflow as tf


def get_filename_list(path):
    image_filenames, label_filenames = [], []
    with open(path) as file:
        for line in file:
            image, label = line.split()
            image_filenames.append(image)
            label_filenames.append(label)
    return image_filenames, label_filenames


def reader_of(queue):
    image = tf.image.decode_png(tf.read_file(queue[0]))
    label = tf.image.decode_png(tf.read_file(queue[1]))
    image = tf.reshape(image, (4, 6, 3))
    label = tf.reshape(label, (4, 6, 1))
    return image, label


def _batch(image, label, least, batch_size, shuffle=True):
    if shuffle:
        images, labels = tf.train.shuffle_batch(
            [image, label], batch_size=batch_size, num_threads=6, capacity=least + 3 * batch_size, min_after_dequeue=least
        )
    else:
        images, labels = tf.train.batch([image, label], batch_size=batch_size, capacity=least + 3 * batch_size)
    tf.summary.image("images", images)
    return images, labels


def inputs(path, batch_size):
    image_filenames, label_filenames = get_filename_list(path)
    images = tf.convert_to_tensor(image_filenames, dtype=tf.string)
    labels = tf.convert_to_tensor(label_filenames, dtype=tf.string)
    queue = tf.train.slice_input_producer([images, labels], shuffle=False)
    image, label = reader_of(queue)
    reshaped = tf.cast(image, tf.float32)
    return _batch(reshaped, label, 4, batch_size, shuffle=False)
