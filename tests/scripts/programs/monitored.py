"""Train digits under MonitoredTrainingSession, stop, and go on from the checkpoint."""
from __future__ import absolute_import
from __future__ import division
from __future__ import print_function

import json
import os

import tensorflow as tf

tf.app.flags.DEFINE_string("data_dir", "/tmp/data", "The folder that holds digits/")
tf.app.flags.DEFINE_string("summary", "/tmp/monitored.json", "Where to write what was seen")
tf.app.flags.DEFINE_string("train_dir", "/tmp/monitored_train", "Checkpoints and event files")
tf.app.flags.DEFINE_integer("batch_size", 32, "Examples in a batch")
FLAGS = tf.app.flags.FLAGS


class CountHook(tf.train.SessionRunHook):
    """Counts steps, and examples of each label."""

    def __init__(self, labels):
        self.labels = labels
        self.steps = 0
        self.seen = set()

    def begin(self):
        self.global_step = tf.train.get_global_step()

    def before_run(self, run_context):
        return tf.train.SessionRunArgs({"labels": self.labels, "step": self.global_step})

    def after_run(self, run_context, run_values):
        self.steps += 1
        self.seen.update(run_values.results["labels"].tolist())


def input_pipeline():
    """Shuffled batches: float32 [batch, 28, 28, 1] and int64 [batch]."""
    files = tf.train.match_filenames_once(os.path.join(FLAGS.data_dir, "digits", "train*.tfrecords"))
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.NONE)
    _, serialized = tf.TFRecordReader(options=options).read(tf.train.string_input_producer(files))
    features = tf.parse_single_example(serialized, {
        "image_raw": tf.FixedLenFeature([], tf.string),
        "label": tf.FixedLenFeature([], tf.int64),
    })
    image = tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), [28, 28, 1])
    image = tf.image.convert_image_dtype(image, tf.float32)
    batch = tf.train.shuffle_batch(
        {"image": image, "label": features["label"]}, FLAGS.batch_size,
        capacity=300, min_after_dequeue=150, num_threads=4)
    return batch["image"], batch["label"]


def model(images, labels):
    kernel = tf.get_variable("kernel", [5, 5, 1, 8], initializer=tf.truncated_normal_initializer(stddev=0.1))
    net = tf.nn.relu(tf.nn.conv2d(images - 0.5, kernel, [1, 2, 2, 1], "SAME"))
    net = tf.nn.max_pool(net, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    net = tf.reshape(net, [-1, 7 * 7 * 8])
    weights = tf.get_variable("weights", [7 * 7 * 8, 10], initializer=tf.zeros_initializer())
    return tf.losses.sparse_softmax_cross_entropy(labels, tf.matmul(net, weights))


def train(last_step):
    """Trains until the global step is last_step."""
    with tf.Graph().as_default():
        images, labels = input_pipeline()
        loss = model(images, labels)
        tf.summary.scalar("loss", loss)
        tf.summary.image("digits", images, max_outputs=1)
        global_step = tf.train.create_global_step()
        train_op = tf.train.AdamOptimizer(0.01).minimize(loss, global_step=global_step)
        count = CountHook(labels)
        hooks = [
            tf.train.StopAtStepHook(last_step=last_step),
            tf.train.NanTensorHook(loss),
            tf.train.LoggingTensorHook({"loss": loss}, every_n_iter=5),
            count,
        ]
        chief_only_hooks = [
            tf.train.CheckpointSaverHook(FLAGS.train_dir, save_steps=6),
            tf.train.SummarySaverHook(save_steps=4, output_dir=FLAGS.train_dir, summary_op=tf.summary.merge_all()),
            tf.train.StepCounterHook(every_n_steps=5, output_dir=FLAGS.train_dir),
        ]
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=FLAGS.train_dir,
                hooks=hooks,
                chief_only_hooks=chief_only_hooks,
                save_checkpoint_secs=None,
                save_summaries_steps=None,
                save_summaries_secs=None) as session:
            began = int(session.run(global_step))
            while not session.should_stop():
                session.run(train_op)
    return {
        "began_at": began,
        "checkpoint": os.path.basename(tf.train.latest_checkpoint(FLAGS.train_dir)),
        "dtypes": [images.dtype.name, labels.dtype.name],
        "labels": sorted(int(label) for label in count.seen),
        "runs": count.steps,
        "shapes": [images.shape.as_list(), labels.shape.as_list()],
    }


def written_tags():
    """What the event files hold: tag to steps."""
    tags = {}
    for path in sorted(tf.gfile.Glob(os.path.join(FLAGS.train_dir, "events*"))):
        for event in tf.train.summary_iterator(path):
            for value in event.summary.value:
                tags.setdefault(value.tag, []).append(int(event.step))
    return {tag: sorted(steps) for tag, steps in tags.items()}


def main(_):
    summary = {"first": train(last_step=14), "second": train(last_step=22)}
    summary["tags"] = written_tags()
    with open(FLAGS.summary, "w") as f:
        json.dump(summary, f, indent=1, sort_keys=True)


if __name__ == "__main__":
    tf.logging.set_verbosity(tf.logging.INFO)
    tf.app.run()
