"""Moves crops of images to where the least is computed: before arithmetic, and into the decoder of JPEGs.

crops.py      finds the crops in a slice, and how far each can move
moving.py     builds the slice with its crops moved
decoding.py   replaces ``DecodeJpeg`` and a crop by ops that decode only the window
"""
