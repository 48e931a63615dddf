import tensorflow as tf

tf.app.flags.DEFINE_integer("size", 2, "Of a batch.")
FLAGS = tf.app.flags.FLAGS
