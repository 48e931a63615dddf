"""Facts about a program that several rules and rewrites ask for, each computed in one place.

Nothing here refuses anything or changes anything: ``check`` and ``rewrite`` decide.
"""
