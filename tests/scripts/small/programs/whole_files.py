"""A folder of text files: each is one example, and the folder's name is its label."""
import os

import tensorflow as tf

KINDS = ['ham', 'spam']


def make_mails():
    for kind in KINDS:
        os.makedirs(os.path.join('mails', kind))
        for i in range(3):
            with open(os.path.join('mails', kind, '%d.txt' % i), 'w') as f:
                f.write((kind + ' ') * (i + 1))


def inputs():
    paths = sorted(tf.gfile.Glob('mails/*/*.txt'))
    reader = tf.WholeFileReader()
    path, content = reader.read(tf.train.string_input_producer(paths, shuffle=False, num_epochs=1))
    kind = tf.string_split([path], '/').values[-2]
    label = tf.argmax(tf.cast(tf.equal(kind, KINDS), tf.int32), 0)
    words = tf.size(tf.string_split([content]).values)
    # split()[-2] has no static shape.
    label.set_shape([])
    words.set_shape([])
    return tf.train.batch([path, label, words], batch_size=4, allow_smaller_final_batch=True)


if __name__ == '__main__':
    make_mails()
    batch = inputs()
    sess = tf.InteractiveSession()
    tf.local_variables_initializer().run()
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    try:
        while True:
            for row in zip(*sess.run(batch)):
                print(*row)
    except tf.errors.OutOfRangeError:
        print('no more mails')
    coord.request_stop()
    coord.join(threads)
    sess.close()
