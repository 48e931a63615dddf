import tensorflow as tf


def names_of(path):
    images, labels = [], []
    with open(path) as fd:
        for line in fd:
            words = line.strip().split(" ")
            images.append(words[0])
            labels.append(words[1])
    return images, labels


def read(queue):
    image = tf.image.decode_png(tf.read_file(queue[0]))
    label = tf.image.decode_png(tf.read_file(queue[1]))
    return tf.reshape(image, (4, 6, 3)), tf.reshape(label, (4, 6, 1))


def batches(path, batch_size):
    images, labels = names_of(path)
    queue = tf.train.slice_input_producer([images, labels], shuffle=False)
    image, label = read(queue)
    return tf.train.batch([tf.cast(image, tf.float32), label], batch_size=batch_size, num_threads=1)
