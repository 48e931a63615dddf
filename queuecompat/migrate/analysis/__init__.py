"""Facts about a program that several rules and rewrites use, each computed in one place.

Nothing here refuses or changes a program: ``check`` and ``rewrite`` decide what follows from a fact.

Files: program.py, places.py, objects.py, module_files.py, reexports.py, tf1_files.py.
Names of packages: mentions.py, removed_names.py, older_names.py, older_calls.py, guards.py.
Calls: call_graph.py, lookups.py, registering.py.
Data flow: statements.py, needed_names.py, aliases.py, effects.py, purity.py, attributes.py, results.py.
Kinds of values: lists.py, several.py, namedtuples.py.
Pipelines: queue_statements.py, fed_queues.py, pipelines.py, datasets.py, order_of_records.py, seeds.py, collected.py,
    templates.py.
"""
