"""Plan -> tf.data.Dataset. ``dataset.py`` has the table with one function per kind of step.

Sources and reads:
    produced.py, numbered.py   ``ir.Produce``; rows with their numbers
    reading.py, files.py       ``ir.Read``; the records of one file; ends.py: truncated files
    blocks.py                  blocks of records, in place of files
    places.py, replay.py       begin at a position; streams whose position is a number
Other steps:
    batches.py, counting.py, growing.py, caching.py   ``ir.Batch``, ``ir.Count``, growing shuffle buffers, ``ir.Cache``
    skipping.py, skipping_files.py                    ``on_error="skip"``: for ops, for files
    service.py, dispatchers.py                        ``ir.Distribute``
For all of them: functions.py and optimised.py (the functions inside datasets), mapping.py, options.py.
"""
