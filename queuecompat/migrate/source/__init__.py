"""A file as text, as an indexed syntax tree, and what the names in it mean. Nothing here knows of pipelines."""
