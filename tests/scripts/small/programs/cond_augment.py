"""Two ways to treat a picture, chosen for each by tf.cond; asserts watch over it."""
import numpy as np
import tensorflow as tf

PICTURES = (np.arange(6 * 4 * 4 * 1) * 37 % 251).reshape(6, 4, 4, 1).astype(np.uint8)


def treat(picture, label):
    picture = tf.image.convert_image_dtype(picture, tf.float32)
    with tf.control_dependencies([tf.assert_less_equal(picture, 1.0), tf.Assert(label < 6, [label])]):
        flipped = tf.cond(tf.equal(label % 2, 0),
                          lambda: tf.image.flip_left_right(picture),
                          lambda: tf.image.rot90(picture))
    flipped = tf.case([(tf.equal(label, 3), lambda: tf.zeros([4, 4, 1]))], default=lambda: flipped)
    flipped.set_shape([4, 4, 1])
    return flipped * 255.


def inputs():
    picture, label = tf.train.slice_input_producer([PICTURES, np.arange(6)], shuffle=False, num_epochs=1)
    return tf.train.batch([treat(picture, label), label], 3)


if __name__ == '__main__':
    pictures, labels = inputs()
    print(pictures.shape, labels.dtype)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        for _ in range(2):
            p, l = sess.run([pictures, labels])
            for one, label in zip(p, l):
                print(label, np.round(one[0, :, 0]).astype(int).tolist())
        coord.request_stop()
        coord.join(threads)
