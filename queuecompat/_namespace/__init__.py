"""TensorFlow 1's namespace, without TensorFlow 1's behaviour: nothing here turns eager execution off.

    names      tables of names: ours, old ones, and removed ones
    overlay    a module of TensorFlow with names of ours on top
    modules    which module a path below ``tf`` means: the one place that knows, for every kind of import
    old        functions of TensorFlow 0.x
    version    ``tf.__version__``
    examples/  ``tensorflow.examples``
    behaviour  whether TensorFlow 1's behaviour comes with the names

In programs of TensorFlow 2:

    places     where code that imports TensorFlow 2 looks for TensorFlow 1's names
    flags      ``tf.app.flags.FLAGS``; log_lines: ``tf.logging``

older/ does the same for Python, NumPy and others.

``queuecompat.v1`` is this namespace together with the behaviour.
"""
