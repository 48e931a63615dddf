"""Moves crops of images to where the least is computed: before arithmetic, and into the decoder of JPEGs."""
