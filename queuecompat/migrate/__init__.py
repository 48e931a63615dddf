"""``check`` and ``migrate``: what in a program's source is TensorFlow 1 input, and its rewriting.

    commands.py     the two commands
    check/          rules over files
    rewrite/        imports, sessions, pipelines
    analysis/       facts that both ask for
    source/         a file as text, as a tree, and what its names mean

Rule 1: source is read, never run and never imported; no TensorFlow here.
Rule 2: a module imports from its own folder and from those below it.
Rule 3: what is not understood stays as it is, byte for byte, and is reported.
"""
