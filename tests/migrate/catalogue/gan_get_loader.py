# call: image_batches('.', 2, side=3, channels_first=True)
# order: fixed
import glob
import os

import tensorflow as tf

KINDS = {"jpg": tf.image.decode_jpeg, "png": tf.image.decode_png}


def image_batches(folder, count, side, channels_first=False, subset=None, seed=None):
    if subset is not None:
        folder = os.path.join(folder, subset)
    for kind in sorted(KINDS):
        found = sorted(glob.glob(os.path.join(folder, "pic_*." + kind)))
        decode = KINDS[kind]
        if found:
            break
    names = tf.train.string_input_producer(found, shuffle=False, seed=seed)
    _, content = tf.WholeFileReader().read(names)
    picture = decode(content, channels=3)
    picture.set_shape([4, 6, 3])
    batch = tf.train.batch([picture], batch_size=count, num_threads=1, capacity=20, name="images")
    batch = tf.image.resize_nearest_neighbor(batch, [side, side])
    if channels_first:
        batch = tf.transpose(batch, [0, 3, 1, 2])
    elif side < 1:
        raise ValueError("a side of %d pixels" % side)
    return tf.to_float(batch)
