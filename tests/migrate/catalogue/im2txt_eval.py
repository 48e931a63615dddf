# call: eval_inputs('captions-?????-of-?????', 2)
# order: fixed
import tensorflow as tf


def parse(serialized):
    context, sequence = tf.parse_single_sequence_example(
        serialized,
        context_features={"image/data": tf.FixedLenFeature([], tf.string), "video_id": tf.FixedLenFeature([], tf.string)},
        sequence_features={"image/caption_ids": tf.FixedLenSequenceFeature([], tf.int64)},
    )
    return context["video_id"], context["image/data"], sequence["image/caption_ids"]


def eval_inputs(pattern, batch_size):
    files = tf.train.string_input_producer(tf.gfile.Glob(pattern), shuffle=False, num_epochs=3)
    reader = tf.TFRecordReader()
    _, serialized = reader.read(files)
    name, image, caption = parse(serialized)
    pixels = tf.decode_raw(image, tf.uint8)
    pixels.set_shape([4])
    return tf.train.batch([name, pixels, caption], batch_size, dynamic_pad=True, allow_smaller_final_batch=True)
