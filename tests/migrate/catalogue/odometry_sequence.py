# call: Loader('word_{}.wav', 3).load_train_batch(2)
# order: fixed
import tensorflow as tf


class Loader(object):
    def __init__(self, template, count, opt=None):
        self.template = template
        self.count = count
        self.opt = opt or {"num_source": 2}

    def format_file_list(self):
        names = [self.template.format(number) for number in range(self.count)]
        return {"sound_file_list": names, "rate": [float(number + 1) for number in range(self.count)]}

    def unpack(self, sequence):
        target = sequence[:4]
        sources = [sequence[4 + 2 * i : 6 + 2 * i] for i in range(self.opt["num_source"])]
        return target, tf.concat(sources, axis=0)

    def load_train_batch(self, batch_size):
        lists = self.format_file_list()
        sound_queue = tf.train.string_input_producer(lists["sound_file_list"], shuffle=False)
        rate_queue = tf.train.input_producer(tf.constant(lists["rate"]), shuffle=False)
        reader = tf.WholeFileReader()
        _, contents = reader.read(sound_queue)
        sequence = tf.reshape(tf.audio.decode_wav(contents).audio, [8])
        target, sources = self.unpack(sequence)
        rate = rate_queue.dequeue()
        rate.set_shape([])
        return tf.train.batch([target, sources, rate], batch_size=batch_size)
