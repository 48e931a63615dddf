"""Examples become batches in one order, though their items end in any order: no locks, no threads.

examples.py   examples, batches, the place between two batches
limits.py     how much of that there may be at once
buckets.py    which examples make one batch
streams.py    ``Stream``
"""
