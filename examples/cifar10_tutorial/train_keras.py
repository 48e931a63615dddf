"""The same pictures in a TensorFlow 2 program: cifar10_input.py stays as it is, and Keras trains on its batches."""

import os
import sys

import tensorflow as tf

import queuecompat


def main(data_dir, steps=100):
    inputs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cifar10_input.py")
    training = queuecompat.as_dataset(f"{inputs}:distorted_inputs", data_dir, batch_size=64)
    test = queuecompat.as_dataset(f"{inputs}:inputs", True, data_dir, batch_size=64)

    model = tf.keras.Sequential(
        [
            tf.keras.layers.Conv2D(16, 5, padding="same", activation="relu"),
            tf.keras.layers.MaxPooling2D(3, 2, padding="same"),
            tf.keras.layers.Conv2D(16, 5, padding="same", activation="relu"),
            tf.keras.layers.MaxPooling2D(3, 2, padding="same"),
            tf.keras.layers.Flatten(),
            tf.keras.layers.Dense(64, activation="relu"),
            tf.keras.layers.Dense(10),
        ]
    )
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.fit(training, epochs=1, steps_per_epoch=steps, verbose=0)
    print("accuracy %.3f" % model.evaluate(test, steps=3, verbose=0)[1])


if __name__ == "__main__":
    main(sys.argv[1])
