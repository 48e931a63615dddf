"""Trains on a list of images with slice_input_producer, as many wrote it: paths and labels from a text file.

Without --data_dir it draws its images first: 120 for training and 40 to check, JPEG files with light stripes that lie
or stand.
"""

from __future__ import absolute_import, division, print_function

import argparse
import os
import tempfile

import numpy as np
import tensorflow as tf

IMAGE_HEIGHT, IMAGE_WIDTH, NUM_CHANNELS = 40, 40, 3
CROP = 32
BATCH_SIZE = 20
CLASSES = ["lying", "standing"]


def write_images(folder):
    """JPEG files, and train.txt and test.txt with a path and a number on each line."""
    random = np.random.RandomState(0)
    pixels = tf.placeholder(tf.uint8, [IMAGE_HEIGHT, IMAGE_WIDTH, NUM_CHANNELS])
    jpeg = tf.image.encode_jpeg(pixels, quality=95)
    with tf.Session() as sess:
        for name, count in (("train", 120), ("test", 40)):
            with open(os.path.join(folder, name + ".txt"), "w") as list_file:
                for number in range(count):
                    label = number % 2
                    image = random.randint(0, 90, [IMAGE_HEIGHT, IMAGE_WIDTH, NUM_CHANNELS])
                    image[random.randint(4) :: 4] += 120
                    image = image.transpose([1, 0, 2]) if label else image
                    path = os.path.join(folder, "%s_%03d.jpg" % (name, number))
                    with open(path, "wb") as out:
                        out.write(sess.run(jpeg, {pixels: image.astype(np.uint8)}))
                    list_file.write("%s %d\n" % (path, label))


def read_label_file(path):
    with open(path) as list_file:
        lines = [line.split() for line in list_file]
    return [path for path, _ in lines], [int(label) for _, label in lines]


def training_batch(paths, labels):
    images = tf.convert_to_tensor(paths, dtype=tf.string)
    labels = tf.convert_to_tensor(labels, dtype=tf.int32)
    input_queue = tf.train.slice_input_producer([images, labels], shuffle=True)

    file_content = tf.read_file(input_queue[0])
    image = tf.image.decode_jpeg(file_content, channels=NUM_CHANNELS)
    image.set_shape([IMAGE_HEIGHT, IMAGE_WIDTH, NUM_CHANNELS])
    image = tf.random_crop(image, [CROP, CROP, NUM_CHANNELS])
    image = tf.image.random_flip_left_right(image)
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.train.shuffle_batch(
        [image, input_queue[1]],
        batch_size=BATCH_SIZE,
        num_threads=4,
        capacity=100 + 3 * BATCH_SIZE,
        min_after_dequeue=100,
    )


def test_batch(paths, labels):
    path, label = tf.train.slice_input_producer([paths, labels], num_epochs=1, shuffle=False)
    image = tf.image.decode_jpeg(tf.read_file(path), channels=NUM_CHANNELS)
    image = tf.image.resize_image_with_crop_or_pad(image, CROP, CROP)
    image = tf.image.convert_image_dtype(image, tf.float32)
    return tf.train.batch([image, label], batch_size=BATCH_SIZE, allow_smaller_final_batch=True)


def logits_of(images):
    """A small net: edges, how strong they are on average, and a weight for each."""
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE):
        kernel = tf.get_variable(
            "kernel", [3, 3, NUM_CHANNELS, 8], initializer=tf.truncated_normal_initializer(0.0, 0.2, seed=1)
        )
        edges = tf.nn.relu(
            tf.nn.conv2d(images - tf.reduce_mean(images, [1, 2], keepdims=True), kernel, [1, 1, 1, 1], "VALID")
        )
        weights = tf.get_variable("weights", [8, len(CLASSES)], initializer=tf.zeros_initializer())
        return tf.matmul(10.0 * tf.reduce_mean(edges, [1, 2]), weights)


def main(args):
    train_images, train_labels = training_batch(*read_label_file(os.path.join(args.data_dir, "train.txt")))
    loss = tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=train_labels, logits=logits_of(train_images))
    )
    train_op = tf.train.AdamOptimizer(0.02).minimize(loss)
    test_images, test_labels = test_batch(*read_label_file(os.path.join(args.data_dir, "test.txt")))
    right = tf.equal(tf.argmax(logits_of(test_images), 1), tf.cast(test_labels, tf.int64))

    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(coord=coord)
        for step in range(args.steps):
            _, loss_value = sess.run([train_op, loss])
            if step % 50 == 0:
                print("step %4d  loss %.3f" % (step, loss_value))
        answers = []
        try:
            while not coord.should_stop():
                answers.extend(sess.run(right))
        except tf.errors.OutOfRangeError:
            print("right: %d of %d" % (sum(answers), len(answers)))
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="", help="where train.txt and test.txt are")
    parser.add_argument("--steps", type=int, default=200)
    arguments = parser.parse_args()
    if not arguments.data_dir:
        arguments.data_dir = tempfile.mkdtemp()
        write_images(arguments.data_dir)
    main(arguments)
