"""Rewrites a slice of a user's graph so that it takes whole batches: one rule for each type of op.

form.py        decides which ops run once for each batch; cutting.py: cuts off a head that runs for each element
rewriting.py   rewrites the others op by op; varying.py: which ops need it; folding.py: values known at this point
rules/         the rules; values.py: what they work on
branches.py    ``tf.cond`` of TensorFlow 1; function_branches.py: of TensorFlow 2
windows.py     windows that differ in position, with what follows them; mirrors.py: mirrors some of the elements
"""
