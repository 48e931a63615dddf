"""A segmentation reader: image and mask are scaled, mirrored and cropped together, as DeepLab's old readers did.

The images are patches of the photographs that scikit-learn ships, with a tinted disc on each; the mask says where the
disc is, and has a border of 255 that the loss must not count. A net of one convolution learns to find it.
"""

import os
import tempfile

import numpy as np
from PIL import Image
from sklearn.datasets import load_sample_images

import queuecompat.v1 as tf

SIZE, CROP, IGNORED, BATCH, EPOCHS = 80, 64, 255, 8, 12


def write_pictures(folder, count=96):
    """JPEG images, PNG masks, and the list of both: one line "image mask" each."""
    random = np.random.RandomState(0)
    photographs = load_sample_images().images
    rows, columns = np.mgrid[:SIZE, :SIZE]
    lines = []
    for number in range(count):
        photograph = photographs[number % 2]
        top, left = random.randint(photograph.shape[0] - SIZE), random.randint(photograph.shape[1] - SIZE)
        patch = photograph[top : top + SIZE, left : left + SIZE].astype(np.float32)
        centre, radius = random.randint(20, SIZE - 20, 2), random.randint(10, 20)
        distance = np.hypot(rows - centre[0], columns - centre[1])
        patch[distance < radius] = patch[distance < radius] * 0.5 + [0, 0, 127]
        mask = np.where(distance < radius, 1, 0).astype(np.uint8)
        mask[np.abs(distance - radius) < 1] = IGNORED
        names = [os.path.join(folder, "%03d.%s" % (number, kind)) for kind in ("jpg", "png")]
        Image.fromarray(patch.astype(np.uint8)).save(names[0], quality=95)
        Image.fromarray(mask).save(names[1])
        lines.append(" ".join(names))
    return lines


def scaled(image, mask):
    """Both by one factor of 1 to 1.5; the mask without values in between."""
    factor = tf.random_uniform([], 1.0, 1.5)
    size = tf.cast(tf.stack([SIZE, SIZE], name="size"), tf.float32) * factor
    size = tf.cast(size, tf.int32)
    image = tf.squeeze(tf.image.resize_bilinear(tf.expand_dims(image, 0), size), [0])
    mask = tf.squeeze(tf.image.resize_nearest_neighbor(tf.expand_dims(mask, 0), size), [0])
    return image, mask


def cropped(image, mask):
    """One window of both, mirrored or not: they are cut as one picture of four channels."""
    both = tf.concat([image, tf.cast(mask, tf.float32)], axis=2)
    both = tf.random_crop(tf.image.random_flip_left_right(both), [CROP, CROP, 4])
    return both[:, :, :3], tf.cast(both[:, :, 3], tf.int32)


def inputs(lines):
    """Batches of images, float32 [8, 64, 64, 3] in -1..1, and masks, int32 [8, 64, 64] of 0, 1 and 255."""
    pairs = [line.split() for line in lines]
    images, masks = (tf.constant(names) for names in zip(*pairs))
    image_name, mask_name = tf.train.slice_input_producer([images, masks], num_epochs=EPOCHS, shuffle=True)
    image = tf.cast(tf.image.decode_jpeg(tf.read_file(image_name), channels=3), tf.float32)
    mask = tf.image.decode_png(tf.read_file(mask_name), channels=1)
    image, mask = cropped(*scaled(image, mask))
    return tf.train.batch([image / 127.5 - 1, mask], BATCH, capacity=4 * BATCH, num_threads=2)


def main():
    images, masks = inputs(write_pictures(tempfile.mkdtemp()))
    logits = tf.nn.conv2d(images, tf.get_variable("kernel", [5, 5, 3, 2]), strides=[1, 1, 1, 1], padding="SAME")
    counted = tf.not_equal(masks, IGNORED)
    labels = tf.boolean_mask(masks, counted)
    logits = tf.boolean_mask(logits + tf.get_variable("bias", [2]), counted)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.AdamOptimizer(0.02).minimize(loss)
    disc = tf.equal(labels, 1)
    found = tf.equal(tf.argmax(logits, 1), 1)
    overlap = tf.reduce_sum(tf.cast(disc & found, tf.float32)) / tf.reduce_sum(tf.cast(disc | found, tf.float32))

    with tf.train.MonitoredTrainingSession() as sess:
        overlaps = []
        try:
            while True:
                overlaps.append(sess.run([train_op, overlap])[1])
        except tf.errors.OutOfRangeError:
            pass  # every pair has been seen EPOCHS times
    print(
        "%d steps; overlap of the disc and what is found: %.2f at first, %.2f at last"
        % (len(overlaps), np.mean(overlaps[:5]), np.mean(overlaps[-20:]))
    )


if __name__ == "__main__":
    main()
