"""What the ops of a program are: slices of its graph, and the facts on which passes decide."""
