"""Predict the next sample of speech; a Python thread loads the WAV files.

The thread feeds a PaddingFIFOQueue through a placeholder, and the graph dequeues
padded batches from it.
"""
from __future__ import print_function

import argparse
import fnmatch
import json
import os
import re
import threading
import wave

import numpy as np
import tensorflow as tf

FILE_PATTERN = r'p([0-9]+)_([0-9]+)\.wav'
QUANTIZATION_CHANNELS = 64
TAPS = 8


def find_files(directory, pattern='*.wav'):
    """All files of a folder and its sub-folders that match the pattern."""
    files = []
    for root, _, filenames in os.walk(directory):
        for filename in fnmatch.filter(filenames, pattern):
            files.append(os.path.join(root, filename))
    return sorted(files)


def load_generic_audio(directory):
    """Yields waveforms, float32 [samples, 1] in [-1, 1), and their speakers, file after file."""
    for filename in find_files(directory):
        speaker, _ = re.findall(FILE_PATTERN, filename)[0]
        file = wave.open(filename, 'rb')
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype='<i2')
        file.close()
        yield samples.reshape(-1, 1).astype(np.float32) / 32768, int(speaker)


class AudioReader(object):
    """Background thread that pre-processes audio files and enqueues them into a TensorFlow queue."""

    def __init__(self, audio_dir, coord, queue_size=6):
        self.audio_dir = audio_dir
        self.coord = coord
        self.threads = []
        self.sample_placeholder = tf.placeholder(dtype=tf.float32, shape=None)
        self.id_placeholder = tf.placeholder(dtype=tf.int32, shape=())
        self.queue = tf.PaddingFIFOQueue(queue_size, ['float32'], shapes=[(None, 1)])
        self.enqueue = self.queue.enqueue([self.sample_placeholder])
        self.gc_queue = tf.PaddingFIFOQueue(queue_size, ['int32'], shapes=[()])
        self.gc_enqueue = self.gc_queue.enqueue([self.id_placeholder])
        self.close = [q.close(cancel_pending_enqueues=True) for q in (self.queue, self.gc_queue)]

    def dequeue(self, num_elements):
        return self.queue.dequeue_many(num_elements)

    def dequeue_gc(self, num_elements):
        return self.gc_queue.dequeue_many(num_elements)

    def thread_main(self, sess):
        try:
            while not self.coord.should_stop():
                for audio, speaker in load_generic_audio(self.audio_dir):
                    if self.coord.should_stop():
                        break
                    sess.run(self.enqueue, feed_dict={self.sample_placeholder: audio})
                    sess.run(self.gc_enqueue, feed_dict={self.id_placeholder: speaker})
        except tf.errors.CancelledError:
            pass  # The queues were closed: the training is over.

    def start_threads(self, sess, n_threads=1):
        for _ in range(n_threads):
            thread = threading.Thread(target=self.thread_main, args=(sess,))
            thread.daemon = True
            thread.start()
            self.threads.append(thread)
        return self.threads


def mu_law_encode(audio, quantization_channels):
    """Quantizes waveform amplitudes; int32 of the same shape."""
    mu = tf.to_float(quantization_channels - 1)
    magnitude = tf.log1p(mu * tf.minimum(tf.abs(audio), 1.0)) / tf.log1p(mu)
    return tf.to_int32((tf.sign(audio) * magnitude + 1) / 2 * mu + 0.5)


def create_loss(audio_batch):
    """Cross entropy of each next sample, from a causal convolution of TAPS samples."""
    encoded = tf.squeeze(mu_law_encode(audio_batch, QUANTIZATION_CHANNELS), [2])
    one_hot = tf.one_hot(encoded, QUANTIZATION_CHANNELS)
    padded = tf.pad(one_hot[:, :-1], [[0, 0], [TAPS - 1, 0], [0, 0]])
    kernel = tf.Variable(tf.zeros([TAPS, QUANTIZATION_CHANNELS, QUANTIZATION_CHANNELS]), name='kernel')
    logits = tf.nn.conv1d(padded, kernel, stride=1, padding='VALID')
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=encoded[:, 1:], logits=logits))


def main():
    parser = argparse.ArgumentParser(description='A very small model of sound.')
    parser.add_argument('--data_dir', type=str, required=True, help='The folder that holds voices/.')
    parser.add_argument('--summary', type=str, required=True, help='Where to write what was seen.')
    parser.add_argument('--batch_size', type=int, default=4, help='How many wav files to process at once.')
    parser.add_argument('--num_steps', type=int, default=9, help='Number of training steps.')
    args = parser.parse_args()

    coord = tf.train.Coordinator()
    with tf.name_scope('create_inputs'):
        reader = AudioReader(os.path.join(args.data_dir, 'voices'), coord)
        audio_batch = reader.dequeue(args.batch_size)
        gc_id_batch = reader.dequeue_gc(args.batch_size)
    loss = create_loss(audio_batch)
    optim = tf.train.AdamOptimizer(learning_rate=0.01).minimize(loss, var_list=tf.trainable_variables())

    sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    threads += reader.start_threads(sess)

    lengths, samples, speakers, losses = [], [], [], []
    for step in range(args.num_steps):
        loss_value, audio, speaker, _ = sess.run([loss, audio_batch, gc_id_batch, optim])
        print('step {:d} - loss = {:.3f}'.format(step, loss_value))
        lengths.append(audio.shape[1])
        samples.append(int(np.abs(audio * 32768).sum(dtype=np.float64)))
        speakers.append(speaker.tolist())
        losses.append(float(loss_value))
    coord.request_stop()
    sess.run(reader.close)
    coord.join(threads)

    with open(args.summary, 'w') as f:
        json.dump({
            'dtypes': [audio_batch.dtype.name, gc_id_batch.dtype.name],
            'loss_fell': losses[-1] < 0.9 * losses[0],
            'padded_lengths': lengths,
            'shapes': [audio_batch.get_shape().as_list(), gc_id_batch.get_shape().as_list()],
            'speakers': speakers,
            'sums_of_samples': samples,
        }, f, indent=1, sort_keys=True)


if __name__ == '__main__':
    main()
