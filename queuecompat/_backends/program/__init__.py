"""Plan -> Python source of a tf.data program.

steps         a plan's steps, as lines of tf.data
helpers       functions that some of these lines need
ops           the ops of a slice, as lines that make them again
public_forms  ops as calls of TensorFlow's public functions
calls         the ops that one call made, as one call
python        names and values in Python's syntax
regular       arrays that have a short expression
"""
