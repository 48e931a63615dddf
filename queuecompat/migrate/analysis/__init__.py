"""Facts about a program that several rules and rewrites use, each computed in one place.

Nothing here refuses or changes a program: ``check`` and ``rewrite`` decide what follows from a fact.
"""
