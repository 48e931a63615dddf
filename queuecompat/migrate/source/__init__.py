"""A file as text, as a syntax tree with one index, and what the names in it mean. It knows nothing of pipelines."""
