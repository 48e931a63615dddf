"""The model: one layer, whose loss a training op makes smaller."""

import tensorflow as tf

import small_input

FLAGS = tf.app.flags.FLAGS
tf.app.flags.DEFINE_integer("batch_size", 2, "Pictures in a batch.")
tf.app.flags.DEFINE_string("data_dir", ".", "Where the pictures are.")


def inputs(eval_data=False):
    pictures, labels = small_input.inputs(FLAGS.data_dir, FLAGS.batch_size, eval_data=eval_data)
    return pictures, labels


def _activation_summary(x):
    tf.summary.histogram(x.op.name + "/activations", x)
    tf.summary.scalar(x.op.name + "/sparsity", tf.nn.zero_fraction(x))


def inference(pictures):
    with tf.variable_scope("softmax_linear") as scope:
        size = [small_input.PICTURE_BYTES, small_input.NUM_CLASSES]
        weights = tf.get_variable("weights", size, initializer=tf.constant_initializer(0.25))
        tf.add_to_collection("losses", tf.multiply(tf.nn.l2_loss(weights), 0.01))
        biases = tf.get_variable("biases", size[1:], initializer=tf.constant_initializer(0.0))
        logits = tf.add(tf.matmul(pictures, weights), biases, name=scope.name)
        _activation_summary(logits)
    return logits


def loss(logits, labels):
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    tf.add_to_collection("losses", tf.reduce_mean(cross_entropy, name="cross_entropy"))
    return tf.add_n(tf.get_collection("losses"), name="total_loss")


def train(total_loss, global_step):
    rate = tf.train.exponential_decay(0.5, global_step, 3, 0.5, staircase=True)
    tf.summary.scalar("learning_rate", rate)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    gradients = optimizer.compute_gradients(total_loss)
    return optimizer.apply_gradients(gradients, global_step=global_step)
