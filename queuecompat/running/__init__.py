"""``python -m queuecompat run``: a TensorFlow 1 script as it is, on the TensorFlow that is installed.

    options     -> programs    what Python would do with a script, a module or a string
    an import   -> _importing  in the user's files, tensorflow means queuecompat.v1
    a process   -> processes   the first, and those that multiprocessing starts
    an error    -> tracebacks  the user's lines and no others; python2  old source, in one message
    the end     -> report      what became of every pipeline (``--report``)

Libraries keep the real TensorFlow: nothing in ``sys.modules`` is replaced.
"""
