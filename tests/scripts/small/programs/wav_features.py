"""Speech commands: WAV files, spectrograms and MFCCs, computed with TensorFlow's private audio_ops module."""
import numpy as np
import tensorflow as tf
from tensorflow.contrib.framework.python.ops import audio_ops as contrib_audio

NAMES = ['yes_0', 'no_1', 'up_2']
RATE = 8000


def write_sounds():
    with tf.Graph().as_default(), tf.Session() as sess:
        sound = tf.placeholder(tf.float32, [None, 1])
        wav = contrib_audio.encode_wav(sound, RATE)
        for i, name in enumerate(NAMES):
            t = np.arange(800 + 200 * i) / float(RATE)
            wave = 0.5 * np.sin(2 * np.pi * (200 + 50 * i) * t)
            with open(name + '.wav', 'wb') as f:
                f.write(sess.run(wav, {sound: wave[:, np.newaxis]}))


def inputs():
    name = tf.train.string_input_producer(NAMES, shuffle=False, num_epochs=1).dequeue()
    audio, rate = contrib_audio.decode_wav(tf.read_file(name + '.wav'), desired_channels=1, desired_samples=900)
    spectrogram = contrib_audio.audio_spectrogram(audio, window_size=256, stride=128, magnitude_squared=True)
    features = contrib_audio.mfcc(spectrogram, rate, dct_coefficient_count=4)
    # What the processor's instructions leave open is below a thousandth.
    rounded = tf.round(features[0] * 100)
    return tf.train.batch([name, rate, tf.shape(features), tf.cast(rounded, tf.int32)], 2,
                          allow_smaller_final_batch=True, dynamic_pad=True)


if __name__ == '__main__':
    write_sounds()
    names, rates, shapes, features = inputs()
    print(shapes.get_shape(), features.get_shape())
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            n, r, s, f = sess.run([names, rates, shapes, features])
            print(n.tolist(), r.tolist(), s.tolist())
            print(f.tolist())
