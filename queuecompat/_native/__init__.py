"""TensorFlow's own queues: the contract that compiled pipelines keep, and the fallback for all others.

originals.py, reference.py      TensorFlow's own functions; what they return and raise, and pipelines that run on them
own_queues.py, strictness.py    settings of the process: everything runs on them; nothing may fall back to them
buckets.py, barrier.py, segments.py, padding.py, sparse_sequences.py, feeding_runners.py, file_cursor.py
                                what ``tf.contrib`` built on queues, and TensorFlow no longer has
estimators.py                   the package tensorflow-estimator on TensorFlow 2.16 and later
waiting.py                      which threads wait in a call: the base of the stall watches
deprecations.py, autograph.py   hide TensorFlow's advice on queues; keep AutoGraph from converting this package
python_functions.py             Python functions that datasets call
"""
