"""Rewrites a program's import statements, and what depends on them.

v1.py              for ``--to v1``
eager_imports.py   for a program that becomes eager; graph_mode.py, dimensions.py: what has to go or change with it
"""
