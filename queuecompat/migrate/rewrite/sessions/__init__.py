"""Rewrites a block of statements that runs a session as eager code that does the same.

    images, labels = inputs(files)                  inputs      the pipeline
    loss = model(images, labels)                    model       the code that is computed from a batch
    with tf.Session() as sess:                      plumbing    what is removed
        while not coord.should_stop():              loops       the new loop: single_loop, or iterator_loops
            _, value = sess.run([train_op, loss])   run_lines   what replaces one run of the session

``classic`` splits the block into these parts. A block of any other form raises ``UnsupportedPatternError``.
"""
