# call: get_label_queue('labels.txt', 2)
# order: fixed
import tensorflow as tf

CHARSET = "abcdefghijklmnopqrstuvwxyz_."


def get_label_queue(path, batch_size):
    with open(path) as f:
        names = [line.split()[0] for line in f]
    codes = [[CHARSET.find(one) for one in name.ljust(12, ".")] for name in names]
    lengths = [len(name) for name in names]
    name, code, length = tf.train.slice_input_producer([names, codes, lengths], shuffle=False)
    image = tf.image.decode_png(tf.read_file(name), channels=1)
    image.set_shape([4, 6, 1])
    column = tf.to_float(tf.transpose(image[:, :, 0])) / 256.0
    return tf.train.batch([column, code, length], batch_size, capacity=4)
