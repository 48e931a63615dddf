"""From a TF1 input function to a tf.data.Dataset for eager TensorFlow 2.

tracing    the function, called in a graph of its own; what it gives, as the end of a plan
binding    what the graph only names (variables, tables, arrays), as things of eager mode
arrays     NumPy's arrays as tensors of the same memory
compiled   the plan, lowered in eager mode
repeating  plans whose position can be saved
native     the same graph in a session on a thread, where the plan cannot be compiled
"""
