# call: create_input_pipeline(*paths_and_labels('faces'), image_size=(2, 2), nrof_preprocess_threads=3, batch_size=5)
# order: any
import glob

import tensorflow as tf


def paths_and_labels(folder):
    paths = sorted(glob.glob(folder + "/*/*.png"))
    return paths, [0 if "anna" in path else 1 for path in paths]


def create_input_pipeline(paths, labels, image_size, nrof_preprocess_threads, batch_size):
    producer = tf.train.slice_input_producer([paths, labels], num_epochs=2, shuffle=True)
    images_and_labels = []
    for _ in range(nrof_preprocess_threads):
        filename, label = producer
        image = tf.image.decode_image(tf.read_file(filename), channels=3)
        image = tf.image.resize_image_with_crop_or_pad(image, image_size[0], image_size[1])
        image.set_shape(image_size + (3,))
        images_and_labels.append([tf.cast(image, tf.float32) - 127.5, label])
    return tf.train.batch_join(
        images_and_labels,
        batch_size=batch_size,
        shapes=[image_size + (3,), ()],
        enqueue_many=False,
        capacity=4 * nrof_preprocess_threads * batch_size,
        allow_smaller_final_batch=True,
    )
