"""A file as text, as an indexed syntax tree, and what the names in it mean. Nothing here knows of pipelines.

The modules, in the order in which a file passes through them:
    files.py       finds the files that the user's paths refer to; progress.py: the bar that counts them
    documents.py   a Python file or a notebook -> source; notebooks.py: cells as one source
    parsing.py     source -> syntax tree; lost_spaces.py: what the parser loses
    index.py       tree -> nodes by kind, parents, descendants; nodes.py, positions.py: their order, and lines
    scopes.py      which places bind a name; names.py: which name of TensorFlow it means
    main_guard.py  what ``if __name__ == "__main__":`` looks like
    edits.py       replaces nodes of the tree
    writing.py     writes changed files, or shows their diffs
"""
