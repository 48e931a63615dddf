"""``queuecompat migrate``: turns a source into its new text, or into the reasons why it stays unchanged.

migrating.py    the command; together/: all files of a program together; rewritten.py: the result for one file
targets.py      the values of ``--to``: as_dataset.py, tf_data.py, imports/v1.py
imports/        import lines, and what follows from them; newer_names.py: names of other packages
sessions/       session loops become loops over datasets
kept_sessions/  programs whose sessions stay: only their input functions change
pipelines/      queue pipelines become tf.data code
refusals/       why something stays unchanged; todo_comments.py, unread.py: how the user is told
input_functions.py   finds input functions
main_function.py     makes a function of what runs under ``if __name__ == "__main__":``
own_names.py         calls functions by their own names
within_others.py, begun_in_init.py, single_calls.py   move a pipeline that is not in a function of its own into one
moved_functions.py   moves a function that reads from a queue to the file that builds the queue
"""
