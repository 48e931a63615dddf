# call: clips('pic_{}.png', 4, 2, 2)
# order: fixed
import tensorflow as tf


def frame(name):
    picture = tf.image.decode_png(tf.read_file(name), channels=1)
    picture.set_shape([4, 6, 1])
    return picture


def clips(template, frames, length, batch_size):
    starts = [[template.format(start + step) for step in range(length)] for start in range(frames - length + 1)]
    names = tf.train.slice_input_producer([starts], shuffle=False)[0]
    pictures = [frame(names[step]) for step in range(length)]
    clip = tf.stack(pictures)
    motion = tf.to_int32(clip[1:]) - tf.to_int32(clip[:-1])
    return tf.train.batch([clip, motion], batch_size, capacity=10)
