"""Step 0 of the migration guide: a program of TensorFlow 1, as people wrote it. TensorFlow 1.15 runs it as it is.

It writes 400 small pictures with a bright blob in one of four corners, reads them back through queues, crops them at
random, and learns the corner by softmax regression.
"""

from __future__ import absolute_import, division, print_function

import os
import tempfile
import zlib

import numpy as np
import tensorflow as tf

SIZE, CROP, CORNERS, BATCH, EPOCHS = 12, 10, 4, 20, 3


def write_records(folder):
    """Four files of 40, 80, 120 and 160 pictures."""
    random = np.random.RandomState(0)
    files = [os.path.join(folder, "%d.tfrecords" % number) for number in range(CORNERS)]
    for number, name in enumerate(files):
        with tf.python_io.TFRecordWriter(name) as writer:
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


def inputs(files):
    """Batches of randomly cropped pictures, float32 [20, 10, 10], and their corners, int64 [20]."""
    queue = tf.train.string_input_producer(files, num_epochs=EPOCHS, seed=1)
    _, record = tf.TFRecordReader().read(queue)
    features = {"image": tf.FixedLenFeature([], tf.string), "label": tf.FixedLenFeature([], tf.int64)}
    parsed = tf.parse_single_example(record, features)
    image = tf.reshape(tf.decode_raw(parsed["image"], tf.uint8), [SIZE, SIZE])
    image = tf.random_crop(image, [CROP, CROP], seed=2)
    image = tf.cast(image, tf.float32) * (1 / 255.0)
    return tf.train.batch([image, parsed["label"]], batch_size=BATCH)


def main():
    images, labels = inputs(write_records(tempfile.mkdtemp()))
    weights = tf.get_variable("weights", [CROP * CROP, CORNERS], initializer=tf.zeros_initializer())
    logits = tf.matmul(tf.reshape(images, [-1, CROP * CROP]), weights)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss)

    seen = step = 0
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                _, batch, corners, value = sess.run([train_op, images, labels, loss])
                seen = zlib.crc32(batch.tobytes() + corners.tobytes(), seen)
                step += 1
                if step % 20 == 0:
                    print("step %d  loss %.3f" % (step, value))
        except tf.errors.OutOfRangeError:
            print("done after %d steps; checksum of all batches: %08x" % (step, seen & 0xFFFFFFFF))
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
