"""What is to be done is a flag of the file that is started."""

import tensorflow as tf

import solver

flags = tf.app.flags
flags.DEFINE_string("phases", "train,test", "What is done, one after the other.")
flags.DEFINE_integer("batch_size", 2, "Numbers in a batch.")
flags.DEFINE_integer("steps", 3, "How many steps.")
FLAGS = flags.FLAGS


def main(_):
    for phase in FLAGS.phases.split(","):
        tf.reset_default_graph()
        getattr(solver, phase)(FLAGS)


if __name__ == "__main__":
    tf.app.run()
