"""The mean and the deviation of all pictures, for another program to subtract."""

import numpy as np
import tensorflow as tf


def all_images(pattern, batch_size):
    files = tf.train.string_input_producer(sorted(tf.gfile.Glob(pattern)), num_epochs=1, shuffle=False)
    _, data = tf.WholeFileReader().read(files)
    image = tf.image.decode_png(data, channels=3)
    image.set_shape([4, 6, 3])
    return tf.train.batch([image], batch_size, allow_smaller_final_batch=True)


def main():
    images = tf.to_float(all_images("pic_*.png", 3))
    init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
    total, squares, count = np.zeros(3), np.zeros(3), 0
    with tf.Session() as sess:
        sess.run(init)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while True:
                batch = sess.run(images)
                total += batch.mean(axis=(1, 2)).sum(axis=0)
                squares += np.square(batch).mean(axis=(1, 2)).sum(axis=0)
                count += len(batch)
        except tf.errors.OutOfRangeError:
            print(count, "pictures")
        finally:
            coord.request_stop()
            coord.join(threads)
    mean = total / count
    print(["%.3f" % one for one in mean], ["%.3f" % one for one in np.sqrt(squares / count - mean ** 2)])


if __name__ == "__main__":
    main()
