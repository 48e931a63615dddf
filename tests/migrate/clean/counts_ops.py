"""A layer of TensorFlow 2, beside functions that look into saved graphs."""

import tensorflow as tf


class Scale(tf.keras.layers.Layer):
    def call(self, inputs):
        return inputs * 2.0


def count_ops(path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.compat.v1.saved_model.loader.load(session, ["serve"], path)
        return len(session.graph.get_operations())


def doubled(numbers):
    graph = tf.Graph()
    with graph.as_default():
        number = tf.compat.v1.placeholder(tf.float32, [])
        with tf.compat.v1.Session() as session:
            return [session.run(number * 2.0, {number: one}) for one in numbers]


if __name__ == "__main__":
    print(Scale()(tf.constant(3.0)).numpy(), doubled([1.0]))
