"""The back ends: what a plan is translated into. A tf.data.Dataset, the source of a tf.data program, or text."""
