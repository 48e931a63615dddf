"""What a program is told when a step fails or waits.

explaining.py   the error of a failed step: which pipeline it was, and where the program made it
locating.py     which record it is about; reasons.py: why a slice fails on it
cut_off.py      pipelines that a cancelled step has ended
stalls.py       a program that waits for a pipeline without output
"""
