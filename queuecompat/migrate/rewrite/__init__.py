"""``queuecompat migrate``: turns a source into its new text, or into the reasons why it stays unchanged.

``targets`` lists the values of ``--to``. ``imports`` changes import lines and what follows from them, ``sessions``
turns session loops into loops over datasets, ``pipelines`` writes queue pipelines in tf.data.
"""
