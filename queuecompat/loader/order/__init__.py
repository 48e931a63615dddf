"""Which item comes when, over all epochs: functions of numbers and small states, without locks.

randomness.py      the random numbers of an epoch, of an item
permutations.py    very long orders, of which any part is had at once
order.py           the indices of an epoch: shards, weights
sampler.py         the items, one after the other
shuffle_buffer.py, delay_line.py   what mixes them: kinds of buffer.py
"""
