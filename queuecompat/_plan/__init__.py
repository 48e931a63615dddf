"""Plans: a pipeline as data, the stages that plans are derived from, and the contracts with the back ends.

A pipeline:
    registry.py      the stages of one graph; external.py: queues, readers and iterators of the program as sources
    stages.py        one stage for each call; states.py: where the consumers of a stage read its elements
    ir/              the steps of a plan; bodies.py: what a step computes; record_numbers.py: a component of elements
    view.py          a plan as sections, on which passes work; cardinality.py: whether it is endless
    printing.py      a plan as text

The contracts:
    backend.py       what capture requires of a back end; control.py, queue_names.py: the handle and names of a queue
    resources.py     the objects that a back end provides for a plan; starts.py: keys of random orders

Options of the user:
    options.py       all of them; ignored_options.py: those that TensorFlow's own queues ignore
    orders.py        ``shuffle`` and ``shard``; parts.py: ``shard="auto"``
    positions.py     ``checkpoint``
    cache_store.py   ``cache``; cache_files.py: in files
    skipped.py       ``on_error="skip"``; failed_run.py: if every element fails
    service.py       ``data_service``
"""
