"""What a program is told when a step fails or waits.

explaining.py   the error of a failed step: which pipeline failed, and where the program made it
locating.py     which record the error is about; reasons.py: why the program's ops fail on an element
cut_off.py      pipelines that were ended by a cancelled step
stalls.py       reports a program that waits for a pipeline without output
"""
