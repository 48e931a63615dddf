"""Captions of pictures: words of any number, padded; the mask says which of them count."""

import tensorflow as tf


class ModelConfig(object):
    def __init__(self):
        self.batch_size = 2
        self.vocab_size = 6
        self.embedding_size = 2


class CaptionModel(object):
    def __init__(self, config, mode):
        assert mode in ("train", "eval")
        self.config = config
        self.mode = mode

    def process(self, value):
        record = tf.cast(tf.decode_raw(value, tf.uint8), tf.int32)
        length = record[0] + 2
        caption = tf.slice(record, [1], tf.stack([length])) % self.config.vocab_size
        return caption

    def build_inputs(self):
        queue = tf.train.string_input_producer(["pictures_0.bin", "pictures_1.bin"], shuffle=False)
        _, value = tf.FixedLengthRecordReader(5).read(queue)
        caption = self.process(value)
        length = tf.shape(caption)[0]
        inputs = tf.slice(caption, [0], tf.expand_dims(length - 1, 0))
        targets = tf.slice(caption, [1], tf.expand_dims(length - 1, 0))
        mask = tf.ones(tf.expand_dims(length - 1, 0), tf.int32)
        self.input_seqs, self.target_seqs, self.input_mask = tf.train.batch(
            [inputs, targets, mask], self.config.batch_size, dynamic_pad=True
        )

    def build_model(self):
        embedding = tf.get_variable(
            "map",
            [self.config.vocab_size, self.config.embedding_size],
            initializer=tf.random_uniform_initializer(seed=2),
        )
        logits = tf.tensordot(tf.nn.embedding_lookup(embedding, self.input_seqs), tf.transpose(embedding), 1)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=self.target_seqs, logits=logits)
        weights = tf.to_float(self.input_mask)
        self.total_loss = tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)

    def build(self):
        self.build_inputs()
        self.build_model()


def main(_):
    model = CaptionModel(ModelConfig(), mode="train")
    model.build()
    train_op = tf.train.GradientDescentOptimizer(0.5).minimize(model.total_loss)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(3):
            _, loss, words = sess.run([train_op, model.total_loss, model.target_seqs])
            print("%.4f" % loss, words.tolist())
        coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    tf.app.run()
