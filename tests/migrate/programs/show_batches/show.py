"""Looks at what comes out of a pipeline, as people do before they train."""

import tensorflow as tf


def read_image(filename_queue):
    reader = tf.WholeFileReader()
    key, value = reader.read(filename_queue)
    image = tf.image.decode_png(value, channels=3)
    image.set_shape([4, 6, 3])
    return key, image


def main():
    names = ["pic_%d.png" % i for i in range(4)]
    queue = tf.train.string_input_producer(names, shuffle=False)
    key, image = read_image(queue)
    keys, images = tf.train.batch([key, image], batch_size=2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        i = 0
        try:
            while not coord.should_stop() and i < 3:
                k, img = sess.run([keys, images])
                for j in range(2):
                    print("no.%d" % (i * 2 + j), k[j].decode(), img[j].shape, img[j].sum())
                i += 1
        except tf.errors.OutOfRangeError:
            print("done!")
        finally:
            coord.request_stop()
        coord.join(threads)


if __name__ == "__main__":
    main()
