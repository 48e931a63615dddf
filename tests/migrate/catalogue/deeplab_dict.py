# call: get(dict(split='train', base=3), 2)
# order: fixed
import tensorflow as tf


def _decode(serialized):
    parsed = tf.parse_single_example(
        serialized,
        features={
            "image/raw": tf.FixedLenFeature([], tf.string),
            "image/filename": tf.FixedLenFeature([], tf.string),
            "image/height": tf.FixedLenFeature([], tf.int64),
            "image/width": tf.FixedLenFeature([], tf.int64),
        },
    )
    shape = tf.stack([parsed["image/height"], parsed["image/width"], 3])
    image = tf.reshape(tf.decode_raw(parsed["image/raw"], tf.uint8), shape)
    image.set_shape([4, 6, 3])
    return {"image": image, "image_name": parsed["image/filename"], "height": parsed["image/height"]}


def get(options, batch_size):
    files = tf.train.string_input_producer(sorted(tf.gfile.Glob(options["split"] + "-*")), shuffle=False)
    _, serialized = tf.TFRecordReader().read(files)
    sample = _decode(serialized)
    sample["label"] = tf.to_int32(sample["image"][..., 0]) % options["base"]
    sample["image"] = tf.to_float(sample["image"]) * 2.0 / 256.0 - 1.0
    return tf.train.batch(sample, batch_size=batch_size, num_threads=1, capacity=32 * batch_size, dynamic_pad=False)
