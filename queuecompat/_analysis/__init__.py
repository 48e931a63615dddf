"""Analysis of a program's ops: slices of its graph, and the facts that passes decide on."""
