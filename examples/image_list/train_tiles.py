"""Train a small Keras model on a list of image files, loaded in the background.

    python examples/image_list/train_tiles.py

Without ``--data_dir`` the tiles are made in a temporary folder. The exit code is 0 when the accuracy on
the tiles of ``test.txt`` reaches 90 %, else 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))  # a fresh checkout works without installing

import keras
from make_tiles import write_tiles

import queuecompat

CROP = 80  # pixels a side, out of 96


def small_net() -> keras.Model:
    """Three convolutions, the mean over all places, two classes."""
    layers = [keras.layers.Input((CROP, CROP, 3)), keras.layers.Rescaling(1 / 64)]
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
    model = small_net()
    with queuecompat.ImageListLoader(data_dir / "train.txt", crop=CROP, batch_size=50, seed=7) as training:
        print(training)
        # A dataset gives one epoch each time it is gone through, with new crops in a new order.
        model.fit(training.as_dataset(), epochs=epochs, shuffle=False, verbose=2)
        print(training.statistics().verdict)
        mean = training.mean
    with queuecompat.ImageListLoader(
        data_dir / "test.txt", crop=CROP, is_train=False, mean=mean, batch_size=50
    ) as testing:
        right = seen = 0
        for images, labels in testing:
            right += int((model.predict_on_batch(images).argmax(axis=1) == labels).sum())
            seen += len(labels)
    print(f"accuracy on tiles never seen: {100 * right / seen:.1f} % ({right} of {seen})")
    return right / seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data_dir", type=Path, help="of the tiles; made there if they are missing")
    parser.add_argument("--epochs", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tiles-") as temporary:
        accuracy = train_and_test(options.data_dir or Path(temporary), options.epochs)
    return 0 if accuracy >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
