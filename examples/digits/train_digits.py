"""Train a small convolutional net on handwritten digits read through queues.

This is a TensorFlow 1 script. One line of it is not what TensorFlow 1.15 runs:
the import below, which there reads ``import tensorflow as tf``.

make_records.py writes the data; demo.py does both in one go.
"""

from __future__ import absolute_import, division, print_function

import glob
import os
import time

import queuecompat.v1 as tf

flags = tf.app.flags
flags.DEFINE_string("data_dir", "/tmp/digits", "Directory of the TFRecord shards.")
flags.DEFINE_string("train_dir", "/tmp/digits/train", "Checkpoints and summaries.")
flags.DEFINE_integer("batch_size", 50, "Examples in a batch.")
flags.DEFINE_integer("num_epochs", 40, "Passes over the training shards.")
flags.DEFINE_float("learning_rate", 0.001, "Learning rate of Adam.")
flags.DEFINE_integer("min_after_dequeue", 500, "Examples that mix in the queue.")
flags.DEFINE_integer("log_steps", 100, "Steps between two lines of progress.")
flags.DEFINE_integer("seed", None, "Graph-level random seed; none by default.")
flags.DEFINE_float("min_accuracy", 0.95, "Exit with 1 below this accuracy.")
FLAGS = flags.FLAGS

IMAGE_SIZE = 8
PADDED_SIZE = 10
GREY_LEVELS = 16
NUM_CLASSES = 10
NUM_EXAMPLES_FOR_TEST = 297


def shards(split):
    """Return the sorted files of 'train' or 'test'."""
    pattern = os.path.join(FLAGS.data_dir, split + "-*.tfrecords")
    files = sorted(glob.glob(pattern))
    if not files:
        raise ValueError("No files match %s; run make_records.py first." % pattern)
    return files


def read_digit(filename_queue):
    """Return one image, uint8 [8, 8, 1], and its label, int32 []."""
    reader = tf.TFRecordReader()
    _, serialized = reader.read(filename_queue)
    features = tf.parse_single_example(
        serialized,
        features={
            "image_raw": tf.FixedLenFeature([], tf.string),
            "label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.decode_raw(features["image_raw"], tf.uint8)
    image = tf.reshape(image, [IMAGE_SIZE, IMAGE_SIZE, 1])
    label = tf.cast(features["label"], tf.int32)
    return image, label


def scale(image):
    """Bring grey levels 0..16 to -0.5..0.5."""
    return tf.cast(image, tf.float32) * (1.0 / GREY_LEVELS) - 0.5


def train_inputs():
    """Return shuffled batches of randomly shifted digits, for num_epochs."""
    filename_queue = tf.train.string_input_producer(shards("train"), num_epochs=FLAGS.num_epochs)
    image, label = read_digit(filename_queue)
    image = tf.image.resize_image_with_crop_or_pad(image, PADDED_SIZE, PADDED_SIZE)
    image = tf.random_crop(image, [IMAGE_SIZE, IMAGE_SIZE, 1])
    return tf.train.shuffle_batch(
        [scale(image), label],
        batch_size=FLAGS.batch_size,
        capacity=FLAGS.min_after_dequeue + 3 * FLAGS.batch_size,
        min_after_dequeue=FLAGS.min_after_dequeue,
        num_threads=2,
    )


def test_inputs():
    """Return the held-out digits in batches, each digit once."""
    filename_queue = tf.train.string_input_producer(shards("test"), num_epochs=1, shuffle=False)
    image, label = read_digit(filename_queue)
    return tf.train.batch(
        [scale(image), label],
        batch_size=FLAGS.batch_size,
        allow_smaller_final_batch=True,
    )


def conv_and_pool(name, inputs, channels):
    """3x3 convolution, bias, ReLU, then 2x2 max pooling."""
    with tf.variable_scope(name):
        shape = [3, 3, inputs.get_shape().as_list()[-1], channels]
        kernel = tf.get_variable("weights", shape, initializer=tf.variance_scaling_initializer(2.0))
        biases = tf.get_variable("biases", [channels], initializer=tf.zeros_initializer())
        conv = tf.nn.conv2d(inputs, kernel, strides=[1, 1, 1, 1], padding="SAME")
        relu = tf.nn.relu(tf.nn.bias_add(conv, biases))
        return tf.nn.max_pool(relu, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def fully_connected(name, inputs, units):
    """inputs * weights + biases."""
    with tf.variable_scope(name):
        shape = [inputs.get_shape().as_list()[-1], units]
        weights = tf.get_variable("weights", shape, initializer=tf.variance_scaling_initializer(2.0))
        biases = tf.get_variable("biases", [units], initializer=tf.zeros_initializer())
        return tf.nn.bias_add(tf.matmul(inputs, weights), biases)


def inference(images):
    """Return the logits, float32 [batch, 10]."""
    net = conv_and_pool("conv1", images, 32)
    net = conv_and_pool("conv2", net, 64)
    net = tf.reshape(net, [-1, 2 * 2 * 64])
    net = tf.nn.relu(fully_connected("hidden", net, 128))
    return fully_connected("softmax_linear", net, NUM_CLASSES)


def train():
    """Train until the input ends; return the path of the last checkpoint."""
    if FLAGS.seed is not None:
        tf.set_random_seed(FLAGS.seed)
    images, labels = train_inputs()
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=inference(images)))
    global_step = tf.train.get_or_create_global_step()
    optimizer = tf.train.AdamOptimizer(FLAGS.learning_rate)
    train_op = optimizer.minimize(loss, global_step=global_step)

    tf.summary.scalar("loss", loss)
    summary_op = tf.summary.merge_all()
    saver = tf.train.Saver()
    # num_epochs is counted in a local variable.
    init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())

    with tf.Session() as sess:
        sess.run(init_op)
        writer = tf.summary.FileWriter(FLAGS.train_dir, sess.graph)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)

        step = 0
        start = last_log = time.time()
        try:
            while not coord.should_stop():
                _, loss_value, summary = sess.run([train_op, loss, summary_op])
                step += 1
                if step % FLAGS.log_steps == 0:
                    now = time.time()
                    rate = FLAGS.log_steps * FLAGS.batch_size / (now - last_log)
                    last_log = now
                    print("step %4d  loss %.4f  %6.0f examples/s" % (step, loss_value, rate))
                    writer.add_summary(summary, step)
        except tf.errors.OutOfRangeError:
            seconds = time.time() - start
            num_examples = step * FLAGS.batch_size
            print("%d epochs done in %d steps" % (FLAGS.num_epochs, step))
            print("trained on %d examples in %.1f s: %.0f examples/s" % (num_examples, seconds, num_examples / seconds))
        finally:
            coord.request_stop()
        coord.join(threads)

        writer.close()
        return saver.save(sess, os.path.join(FLAGS.train_dir, "model.ckpt"), global_step=global_step)


def evaluate(checkpoint):
    """Return how many held-out digits were seen, and how many were right."""
    images, labels = test_inputs()
    correct = tf.nn.in_top_k(inference(images), labels, 1)
    saver = tf.train.Saver()

    num_seen = num_correct = 0
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        saver.restore(sess, checkpoint)
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                batch_correct = sess.run(correct)
                num_seen += len(batch_correct)
                num_correct += int(batch_correct.sum())
        except tf.errors.OutOfRangeError:
            pass  # Every digit of the test shard has been seen.
        finally:
            coord.request_stop()
        coord.join(threads)
    return num_seen, num_correct


def print_plan():
    """Print what queuecompat made of this graph's queues; TF 1 has nothing to say."""
    try:
        import queuecompat
    except ImportError:
        return
    print(queuecompat.explain(), end="\n\n")


def main(_):
    with tf.Graph().as_default():
        checkpoint = train()
        print_plan()
    with tf.Graph().as_default():
        num_seen, num_correct = evaluate(checkpoint)
        print_plan()

    accuracy = num_correct / max(num_seen, 1)
    print("held-out accuracy: %.2f %% (%d of %d digits)" % (100 * accuracy, num_correct, num_seen))
    if num_seen != NUM_EXAMPLES_FOR_TEST:
        print("expected to see each of %d digits once" % NUM_EXAMPLES_FOR_TEST)
        return 1
    return 0 if accuracy >= FLAGS.min_accuracy else 1


if __name__ == "__main__":
    tf.app.run()
