"""Import statements of a program, and what changes with them: graph mode, dimensions of shapes."""
