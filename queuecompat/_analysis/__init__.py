"""Analysis of a program's ops: slices of its graph, and the facts that passes decide on.

Cutting a slice:
    frontier.py, reach.py   where slices end; which ops compute a tensor
    slicing.py              ``Slice``, the body of a step: asks the modules below; op_copy.py: copies its ops
    consumers.py            the step that runs a slice on the elements of stages
    draw_step.py            which of its ops must run in the same step as a draw from a queue of the program
Facts about ops:
    op_facts.py             the table; effects.py: the side effects of a slice
    tensors.py              questions about single tensors
    library.py, regions.py  functions; conditions and loops; counts.py: counter variables
Forms of a slice, and the passes that use them:
    batched/                ``batch_first``
    cropping/               ``crop_early``
    cacheable.py            ``cache_elements``
    locality.py             ``distribute``
    stateless.py            ``order_by_position``, ``draw_by_index``
    structural_hash.py      ``merge_alike``
For messages and generated programs:
    origins.py, statements.py, known_calls.py   the user's op, source line, names and calls that ops came from
    matched_files.py                            the glob pattern that a list of files came from
"""
