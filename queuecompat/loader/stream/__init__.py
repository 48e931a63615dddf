"""Makes batches of examples in a fixed order, although items finish in any order. No locks, no threads.

examples.py   examples, batches, cursors: places between two batches
limits.py     how many examples and batches may exist at once
buckets.py    batches whose examples are of one bucket
streams.py    ``Stream``
"""
