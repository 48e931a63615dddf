"""Decides what ``import tensorflow`` means in which file.

    a file      -> tree          is it the user's, or a library's?
    an import   -> imports       in the user's files, tensorflow means TensorFlow 1's namespace
    a function  -> import_calls  importlib and runpy, called by the user's code

Libraries keep the real TensorFlow: nothing in ``sys.modules`` is replaced.
"""
