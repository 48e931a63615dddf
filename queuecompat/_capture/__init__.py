"""Capture: turns the program's calls of TF1's input functions into stages.

Each call becomes a stage with the slice of the graph that its tensors depend on and the steps that the call stands for;
what cannot be compiled runs on TensorFlow's own queues (``fallback``). Called by the functions named as in TF1.

The calls:
    producers.py       ``input_producer`` and the like; tables.py: rows of arrays
    reading.py         readers
    batching.py        batchers; bucketing.py: ``bucket``
    filled_queues.py   queues that are returned to the program (slim); whole_batches.py: queues of whole batches
    array_batches.py   ``numpy_input_fn`` and the like; generated_rows.py: ``generator_input_fn``
Used by these:
    inputs.py          a list of tensors -> an input of a stage; sparse.py: SparseTensors; shapes.py: declared shapes
    lazy_queue.py      TensorFlow's own queue of a compiled stage, created if the program uses it
    fallback.py        what cannot be compiled
"""
