# call: pairs('pairs.txt', 3)
# order: fixed
import tensorflow as tf


def pairs(list_file, batch_size):
    lines = tf.train.string_input_producer([list_file], shuffle=False)
    _, line = tf.TextLineReader().read(lines)
    image_name, mask_name = tf.decode_csv(line, [["path"], ["mask"]], field_delim=" ")
    image = tf.image.decode_png(tf.read_file(image_name))
    mask = tf.image.decode_png(tf.read_file(mask_name))
    image.set_shape([4, 6, 3])
    mask.set_shape([4, 6, 1])
    together = tf.concat([tf.to_int32(image), tf.to_int32(mask)], 2)
    together = tf.image.pad_to_bounding_box(together, 1, 0, 6, 6)
    return tf.train.batch([together[..., :3], together[..., 3:]], batch_size)
