"""Trains until the epochs are over, and says how long that was in steps."""

import argparse
import os
import sys
import time

import tensorflow as tf

import digits

FLAGS = None


def decode(serialized):
    record = tf.decode_raw(serialized, tf.uint8)
    label = tf.cast(record[0], tf.int32)
    image = tf.cast(tf.slice(record, [1], [digits.PIXELS]), tf.float32) * (1.0 / 255) - 0.5
    image.set_shape([digits.PIXELS])
    return image, label


def inputs(data_dir, batch_size, num_epochs):
    if not num_epochs:
        num_epochs = None
    names = [os.path.join(data_dir, "pictures_%d.bin" % number) for number in range(2)]
    with tf.name_scope("input"):
        filename_queue = tf.train.string_input_producer(names, num_epochs=num_epochs, shuffle=False)
        reader = tf.FixedLengthRecordReader(record_bytes=digits.PIXELS + 1)
        _, serialized = reader.read(filename_queue)
        image, label = decode(serialized)
        images, sparse_labels = tf.train.batch([image, label], batch_size=batch_size, capacity=20)
        return images, sparse_labels


def run_training():
    with tf.Graph().as_default():
        images, labels = inputs(FLAGS.data_dir, FLAGS.batch_size, FLAGS.num_epochs)
        logits = digits.inference(images, FLAGS.hidden)
        loss = digits.loss(logits, labels)
        train_op = digits.training(loss, FLAGS.learning_rate)
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        sess = tf.Session()
        sess.run(init_op)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            step = 0
            while not coord.should_stop():
                start_time = time.time()
                _, loss_value = sess.run([train_op, loss])
                duration = time.time() - start_time
                if step % 2 == 0:
                    print("Step %d: loss = %.4f %s" % (step, loss_value, duration >= 0))
                step += 1
        except tf.errors.OutOfRangeError:
            print("Done training for %d epochs, %d steps." % (FLAGS.num_epochs, step))
        finally:
            coord.request_stop()
        coord.join(threads)
        sess.close()


def main(_):
    run_training()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--learning_rate", type=float, default=0.5)
    parser.add_argument("--num_epochs", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=5)
    parser.add_argument("--batch_size", type=int, default=3)
    parser.add_argument("--data_dir", default=".")
    FLAGS, unparsed = parser.parse_known_args()
    tf.app.run(main=main, argv=[sys.argv[0]] + unparsed)
