"""The order of items over all epochs: pure functions of numbers, and small states, without locks.

randomness.py      the random numbers of an epoch, of an item, of a batch
permutations.py    very long random orders, any part of which is computed directly
order.py           the indices of an epoch: shards, weights
sampler.py         the items, one after another
shuffle_buffer.py, delay_line.py   the buffers that mix items or examples; buffer.py is their base class
"""
