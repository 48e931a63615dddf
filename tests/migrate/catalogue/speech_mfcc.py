# call: features('word_*.wav', 3)
# order: fixed
import tensorflow as tf


def spectrogram(audio):
    frames = tf.signal.frame(tf.squeeze(audio, 1), frame_length=4, frame_step=2)
    return tf.reduce_sum(tf.abs(frames), 1)


def features(pattern, batch_size):
    queue = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), shuffle=False)
    key, contents = tf.WholeFileReader().read(queue)
    audio, rate = tf.audio.decode_wav(contents)
    audio.set_shape([8, 1])
    return tf.train.batch([spectrogram(audio), rate, key], batch_size)
