"""``python -m queuecompat run``: runs a TensorFlow 1 script unchanged on the installed TensorFlow.

    options     -> start       runs a program, and reports its last error
                   programs    what Python would do with a script, a module or a string
    an import   -> _importing  in the user's files, tensorflow means queuecompat.v1
    a process   -> processes   the first one, and those that multiprocessing starts
    an error    -> tracebacks  shows only the user's lines; python2, libraries explain some in one message
    the end     -> reporting   how fast every pipeline was (``--report``)
    --compare   -> comparing   starts the program twice; recording and step_log: what each run tells it

Libraries keep the real TensorFlow: nothing in ``sys.modules`` is replaced.
"""
