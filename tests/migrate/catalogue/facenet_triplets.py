# call: triplets(TRIPLETS, 2)
# order: fixed
import numpy as np
import tensorflow as tf

TRIPLETS = np.array(
    [
        ["faces/anna/anna_0.png", "faces/anna/anna_1.png", "faces/bert/bert_0.png"],
        ["faces/bert/bert_1.png", "faces/bert/bert_2.png", "faces/anna/anna_0.png"],
    ]
)


def triplets(paths, batch_size):
    queue = tf.train.slice_input_producer([tf.constant(paths)], shuffle=False)
    images = []
    for filename in tf.unstack(queue[0], num=3):
        image = tf.image.decode_png(tf.read_file(filename), channels=1)
        image.set_shape([4, 6, 1])
        images.append(tf.reduce_mean(tf.to_float(image), [0, 2]))
    return tf.train.batch([tf.stack(images)], batch_size)
