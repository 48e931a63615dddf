"""Crops of images, moved to where there is least to compute: before arithmetic, and into the decoder of JPEGs."""
