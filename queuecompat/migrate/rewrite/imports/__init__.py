"""Rewrites a program's import statements, and what depends on them: graph mode, and dimensions of static shapes."""
