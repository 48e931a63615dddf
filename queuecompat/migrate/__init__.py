"""``check`` and ``migrate``: what in a program's source is TensorFlow 1 input, and its rewriting.

Rule 1: source is read, never run and never imported; no TensorFlow here.
Rule 2: one thing to find is one file of ``rules/``; one way to rewrite is one module of ``rewrites/``.
Rule 3: what is not understood stays as it is, byte for byte, and is reported.
"""
