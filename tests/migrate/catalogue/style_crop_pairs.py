# call: load_pairs(PAIRS, 2, is_test=True)
# order: fixed
import numpy as np
import tensorflow as tf

PAIRS = np.arange(48, dtype=np.uint8).reshape([3, 2, 8, 1])
SIDE = 2


def load_pairs(pairs, batch_size, is_test=False):
    """The left half of each picture is the source, the right one the target; both in [-1, 1]."""
    both = tf.train.slice_input_producer([pairs], shuffle=not is_test)[0]
    both = tf.image.convert_image_dtype(both, tf.float32)
    width = 8
    source = both[:, : width // 2] * 2.0 - 1.0
    target = both[:, width // 2 :] * 2.0 - 1.0
    if not is_test:
        offset = tf.random_uniform([], 0, SIDE + 1, dtype=tf.int32)
        source, target = source[:, offset : offset + SIDE], target[:, offset : offset + SIDE]
    else:
        source, target = (tf.image.crop_to_bounding_box(one, 0, 1, SIDE, SIDE) for one in (source, target))
    return tf.train.batch([source, target], batch_size=batch_size, num_threads=1)
