"""``check`` finds TensorFlow 1 input code in a program's source; ``migrate`` rewrites it.

    commands.py     the two commands
    check/          the rules of ``check``, each run over every file
    rewrite/        how ``migrate`` rewrites imports, sessions and pipelines
    analysis/       facts about a program that both commands use
    findings.py     what both commands report
    source/         a file as text and as a syntax tree, and what its names mean

Rule 1: source is read, never run and never imported; nothing here imports TensorFlow.
Rule 2: a module imports only from its own folder and from the folders below it in this list.
Rule 3: code that is not understood stays unchanged, byte for byte, and is reported.
"""
