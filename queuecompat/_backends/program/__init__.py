"""Plan -> Python source.

steps         the steps of a plan, as lines of tf.data
helpers       functions that some of them need
ops           the ops of a slice, as lines that make them again
public_forms  ops as TensorFlow's public functions
calls         what one call made, as one call
python        names and values, as Python writes them
regular       arrays that have a short expression
"""
