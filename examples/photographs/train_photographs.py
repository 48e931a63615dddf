"""Train a Keras 3 convolutional net from a TF1 input function.

    python examples/photographs/train_photographs.py

``tiles`` is TF1 code as it always was: a producer, a decoder, a random crop, a flip, a queue. Under
``@queuecompat.input_pipeline`` it gives a ``tf.data.Dataset``, and three things come with that:

  a fresh epoch each time      ``fit`` goes through the dataset again and again; crops, flips and order are new
  an exact validation pass     every tile once, the last small batch too
  ids beside the batch         paths travel through the queue, and say afterwards which tiles were taken for what

The exit code is 0 when the accuracy on tiles from parts of the photographs never trained on reaches 90 %, else 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # a fresh checkout works without installing
sys.path.append(str(Path(__file__).resolve().parents[1] / "image_list"))

import keras
import tensorflow as tf
from make_tiles import write_tiles

import queuecompat

CROP = 80  # pixels a side, out of 96


@queuecompat.input_pipeline
def tiles(list_file, batch_size, is_training):
    """Batches of images, float32 in [-1, 1], of their labels, and of their paths."""
    tf1 = tf.compat.v1
    with open(list_file) as lines:
        pairs = [line.split() for line in lines if not line.startswith("#")]
    paths = [str(Path(list_file).parent / path) for path, _ in pairs]
    labels = [int(label) for _, label in pairs]

    path, label = tf1.train.slice_input_producer([paths, labels], num_epochs=1, shuffle=is_training)
    image = tf1.image.decode_jpeg(tf1.read_file(path), channels=3)
    if is_training:
        image = tf1.random_crop(image, [CROP, CROP, 3])
        image = tf1.image.random_flip_left_right(image)
    else:
        image = tf1.image.resize_image_with_crop_or_pad(image, CROP, CROP)
    image = tf1.cast(image, tf1.float32) / 127.5 - 1.0

    if is_training:
        return tf1.train.shuffle_batch(
            [image, label, path], batch_size, num_threads=4, capacity=1000, min_after_dequeue=500
        )
    return tf1.train.batch([image, label, path], batch_size, allow_smaller_final_batch=True)


def small_net() -> keras.Model:
    """Three convolutions, the mean over all places, two classes."""
    layers = [keras.layers.Input((CROP, CROP, 3))]
    for channels in (16, 32, 64):
        layers.append(keras.layers.Conv2D(channels, 5, strides=2, padding="same", activation="relu"))
    model = keras.Sequential([*layers, keras.layers.GlobalAveragePooling2D(), keras.layers.Dense(2)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-3), loss, metrics=["accuracy"])
    return model


def train_and_test(data_dir: Path, epochs: int) -> float:
    """Return the accuracy on the tiles to test with."""
    if not (data_dir / "test.txt").exists():
        write_tiles(data_dir)
    training = tiles(str(data_dir / "train.txt"), 50, is_training=True)
    print(queuecompat.explain(training))

    model = small_net()
    # The number of steps is known, so the progress bar knows its end.
    model.fit(training.map(lambda image, label, path: (image, label)), epochs=epochs, shuffle=False, verbose=2)

    right, mistaken = 0, []
    for images, labels, paths in tiles(str(data_dir / "test.txt"), 32, is_training=False):
        is_right = model.predict_on_batch(images).argmax(axis=1) == labels.numpy()
        right += int(is_right.sum())
        mistaken += [path.decode() for path in paths.numpy()[~is_right]]
    count = right + len(mistaken)
    print(f"accuracy on tiles never seen: {100 * right / count:.1f} % ({right} of {count})")
    for path in mistaken[:5]:
        print(f"  taken for the other photograph: {path}")
    return right / count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data_dir", type=Path, help="of the tiles; made there if they are missing")
    parser.add_argument("--epochs", type=int, default=6)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tiles-") as temporary:
        accuracy = train_and_test(options.data_dir or Path(temporary), options.epochs)
    return 0 if accuracy >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
