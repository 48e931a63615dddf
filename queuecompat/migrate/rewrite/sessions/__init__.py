"""Rewrites a block of statements that runs a session as eager code that does the same.

    images, labels = inputs(files)                  inputs      the pipeline
    loss = model(images, labels)                    model       the code that is computed from a batch
    with tf.Session() as sess:                      plumbing    what is removed
        while not coord.should_stop():              loops       the new loop: single_loop, or iterator_loops
            _, value = sess.run([train_op, loss])   run_lines   what replaces one run of the session

``classic`` splits the block into these parts. A block of any other form raises ``UnsupportedPatternError``.
The other modules, by the part that they help with:

    inputs      batched, list_batches: which results are batches, and lists of them; objects: pipelines in methods
    model       variables, templates: state; placeholders, feed_dicts: fed values; purity, eager, closures: what moves
    plumbing    held_errors, conditions: what coordinators do besides
    loops       session_runs: where the session runs; after_loop, program_exit: what comes after; comments

In place of all: ``graph_functions`` keeps the model in a graph, in blocks for which ``wrappable`` allows it.
"""
