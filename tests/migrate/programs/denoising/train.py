import numpy as np
import tensorflow as tf

from model import Denoiser

ROWS = np.linspace(0.0, 1.0, 30, dtype=np.float32).reshape([10, 3])


class Trainer(object):
    def __init__(self, rows, batch_size, steps):
        self.rows, self.batch_size, self.steps = rows, batch_size, steps

    def inputs(self):
        row = tf.train.slice_input_producer([self.rows], shuffle=False)[0]
        return tf.train.batch([row], self.batch_size)

    def run(self):
        model = Denoiser(self.inputs(), 4, 0.01)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess=sess, coord=coord)
            losses = []
            for step in range(self.steps):
                _, loss = sess.run([model.train_op, model.loss])
                losses.append(loss)
                if (step + 1) % 2 == 0:
                    print("step %d mean loss %.4f" % (step + 1, np.mean(losses[-2:])))
            coord.request_stop()
            coord.join(threads)


if __name__ == "__main__":
    Trainer(ROWS, 4, 6).run()
