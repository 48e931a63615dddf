"""Plan -> Python source.

steps    the steps of a plan, as lines of tf.data
helpers  functions that some of them need
ops      the ops of a slice, as lines that make them again
library  the branches and loop bodies among them
python   names and values, as Python writes them
regular  arrays that have a short expression
"""
