"""Predicts the next sample of a sound."""

import tensorflow as tf

from audio_reader import AudioReader

BATCH_SIZE = 3
SAMPLE_SIZE = 4
CHANNELS = 8
L2_REGULARIZATION_STRENGTH = 0.01


class Net(object):
    def __init__(self, channels):
        self.channels = channels

    def _encode(self, audio):
        return tf.to_int32((audio + 1) / 2 * (self.channels - 1) + 0.5)

    def loss(self, audio, strength=None):
        codes = self._encode(audio)
        with tf.variable_scope("wavenet"):
            initializer = tf.random_normal_initializer(stddev=0.1, seed=5)
            filters = tf.get_variable("filter", [2, self.channels, self.channels], initializer=initializer)
        hot = tf.one_hot(codes, self.channels)
        outputs = tf.nn.conv1d(hot[:, :-1], filters, stride=1, padding="VALID")
        targets = codes[:, 2:]
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=outputs))
        if strength is None:
            return loss
        l2 = tf.add_n([tf.nn.l2_loss(v) for v in tf.trainable_variables() if "bias" not in v.name])
        return loss + strength * l2


def main():
    coord = tf.train.Coordinator()
    with tf.name_scope("create_inputs"):
        reader = AudioReader("word_*.wav", SAMPLE_SIZE, BATCH_SIZE)
        audio_batch = reader.batches()
    net = Net(CHANNELS)
    loss = net.loss(audio_batch, L2_REGULARIZATION_STRENGTH)
    optimizer = tf.train.AdamOptimizer(0.1)
    trainable = tf.trainable_variables()
    optim = optimizer.minimize(loss, var_list=trainable)
    sess = tf.Session(config=tf.ConfigProto(log_device_placement=False))
    sess.run(tf.global_variables_initializer())
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    step = None
    last_saved_step = 0
    try:
        for step in range(last_saved_step, 4):
            loss_value, _ = sess.run([loss, optim])
            print("step {:d} - loss = {:.3f}".format(step, loss_value))
    except KeyboardInterrupt:
        print()
    finally:
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
