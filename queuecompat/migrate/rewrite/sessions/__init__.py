"""A block of statements that runs a session, and the eager code that does the same.

    images, labels = inputs(files)                  inputs      the pipeline
    loss = model(images, labels)                    model       what follows from a batch
    with tf.Session() as sess:                      plumbing    what goes
        while not coord.should_stop():              loops       the loop, written again: single_loop, or iterator_loops
            _, value = sess.run([train_op, loss])   run_lines   what stands for one run of the session

``classic`` takes the block apart. What does not fit raises ``UnsupportedPatternError``.
"""
