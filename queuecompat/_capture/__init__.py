"""Capture: turns the program's calls of TF1's input functions into stages.

Each call becomes a stage with the slice of the graph that its tensors depend on and the steps that the call stands for;
what cannot be compiled runs on TensorFlow's own queues (``fallback``). Called by the functions named as in TF1.
"""
