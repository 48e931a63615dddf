"""One run over the data: a stream and the lock around it, workers on one side, the consumer on the other.

work.py            what the run and its workers have in common
feed.py            the items that are handed out
rows.py, spec_check.py   which row an example goes to, and whether it is like the others
finishing.py       what is done with a batch that is complete
reserve.py, epoch_ends.py   what the consumer has fetched ahead; which epochs it has seen the end of
patience.py, run_errors.py  how long it waits; what it is told
lifecycle.py       the table: what may be done when
worker_threads.py  the threads, from their start to their end
epoch_run.py       ``EpochRun``: all of that under one lock
"""
