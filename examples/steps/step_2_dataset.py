"""Step 2 of the migration guide: the old input function gives a dataset, and the rest of the program is TensorFlow 2.

The input function is that of step 0 under a decorator. Session, coordinator and threads are gone.
"""

import os
import tempfile
import zlib

import numpy as np
import tensorflow as tf

import queuecompat

SIZE, CROP, CORNERS, BATCH, EPOCHS = 12, 10, 4, 20, 3


def write_records(folder):
    """Four files of 40, 80, 120 and 160 pictures."""
    random = np.random.RandomState(0)
    files = [os.path.join(folder, "%d.tfrecords" % number) for number in range(CORNERS)]
    for number, name in enumerate(files):
        with tf.io.TFRecordWriter(name) as writer:
            for _ in range(40 * (number + 1)):
                corner = random.randint(CORNERS)
                picture = random.randint(0, 100, [2, SIZE // 2, 2, SIZE // 2])
                picture[corner // 2, :, corner % 2, :] += 100
                pixels = picture.astype(np.uint8).tobytes()
                feature = {
                    "image": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels])),
                    "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[corner])),
                }
                writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return files


@queuecompat.input_pipeline
def inputs(files):
    """Batches of randomly cropped pictures, float32 [20, 10, 10], and their corners, int64 [20]."""
    queue = tf.train.string_input_producer(files, num_epochs=EPOCHS, seed=1)
    _, record = tf.compat.v1.TFRecordReader().read(queue)
    features = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64)}
    parsed = tf.io.parse_single_example(record, features)
    image = tf.reshape(tf.io.decode_raw(parsed["image"], tf.uint8), [SIZE, SIZE])
    image = tf.image.random_crop(image, [CROP, CROP], seed=2)
    image = tf.cast(image, tf.float32) * (1 / 255.0)
    return tf.train.batch([image, parsed["label"]], batch_size=BATCH)


def train(dataset):
    weights = tf.Variable(tf.zeros([CROP * CROP, CORNERS]))
    optimizer = tf.keras.optimizers.SGD(0.1)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            logits = tf.matmul(tf.reshape(images, [-1, CROP * CROP]), weights)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        optimizer.apply_gradients([(tape.gradient(loss, weights), weights)])
        return loss

    seen = step = 0
    for step, (images, labels) in enumerate(dataset, 1):
        loss = train_step(images, labels)
        seen = zlib.crc32(images.numpy().tobytes() + labels.numpy().tobytes(), seen)
        if step % 20 == 0:
            print("step %d  loss %.3f" % (step, loss))
    print("done after %d steps; checksum of all batches: %08x" % (step, seen))


if __name__ == "__main__":
    train(inputs(write_records(tempfile.mkdtemp())))
