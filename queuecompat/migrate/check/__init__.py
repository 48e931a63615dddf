"""``queuecompat check``: runs rules over files and prints their findings as text, JSON or SARIF.

checking.py   runs the rules in rules/
starts.py     the files that a user starts; packages.py: what they need besides TensorFlow
formats.py    the output
"""
