"""Decides what ``import tensorflow`` means in which file.

    a file      -> tree          is it the user's, or a library's?
    an import   -> imports       in the user's files, tensorflow means TensorFlow 1's namespace
    a function  -> import_calls  importlib and runpy, called by the user's code; own_importlib: importlib of one tree
    a test      -> pytest_modules  pytest loads its modules in its own way

    kept_names  functions of both versions under one name, with other arguments or another meaning
    one_call    TensorFlow 1's names in TensorFlow's own modules, during one call
    old_protos  modules that an old ``protoc`` generated

Libraries keep the real TensorFlow: nothing in ``sys.modules`` is replaced.
"""
