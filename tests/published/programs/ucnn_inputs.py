"""ucnn's captchas: raw bytes of a TFRecord file, in order and shuffled by six threads; its network learns from them."""

import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
os.makedirs(os.path.join(folder, "tfrecord_data"))
os.chdir(folder)

from ucnn.cnn_model import CNNModel, evaluation, loss, training  # noqa: E402 - its data is in a folder of this name
from ucnn.input_image import RECORD_DIR, TRAIN_FILE, VALID_FILE  # noqa: E402

SIZES = {"image_height": 16, "image_width": 16, "chars_length": 2, "charsets_length": 3}
for name in (TRAIN_FILE, VALID_FILE):
    with tf.python_io.TFRecordWriter(os.path.join(RECORD_DIR, name)) as writer:
        for number in range(30):
            pixels = np.full([16, 16], 100 * (number % 3), np.int16)
            label = np.eye(3, dtype=np.uint8)[[number % 3, (number + 1) % 3]]
            parts = {"image_raw": pixels.tobytes(), "label_raw": label.tobytes()}
            features = {
                key: tf.train.Feature(bytes_list=tf.train.BytesList(value=[part])) for key, part in parts.items()
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def steps(train, count, trains):
    with tf.Graph().as_default(), tf.Session() as session:
        model = CNNModel(SIZES)
        images, labels = model.inputs(train, 10)
        logits = model.model(images, keep_prob=1.0)
        error = loss(logits, labels)
        fetches = [images, labels, error, evaluation(logits, labels), *([training(error)] if trains else [])]
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=session, coord=coordinator)
        for _ in range(count):
            yield session.run(fetches)[:4]
        coordinator.request_stop()
        coordinator.join(threads)


seen = []
for images, labels, _, _ in steps(False, 9, False):
    assert images.shape == (10, 16, 16, 1) and labels.shape == (10, 2, 3)
    seen += [(round(float(image), 4), label.argmax(1).tolist()) for image, label in zip(images[:, 0, 0, 0], labels)]
assert sorted(seen) == sorted([(-0.5, [0, 1]), (-0.1078, [1, 2]), (0.2843, [2, 0])] * 30), seen
errors = [error for _, _, error, _ in steps(True, 25, True)]
assert errors[-1] < errors[0], errors
print("90 images, 25 steps")
