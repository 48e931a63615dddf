"""One run over the data: a stream and the lock around it, workers on one side, the consumer on the other.

work.py            the types that the run and its workers share
feed.py            the items to hand out to workers
rows.py, spec_check.py   in which row an example goes; whether it has the same spec as the others
finishing.py       the last steps on a batch that is complete
reserve.py, epoch_ends.py   batches that the consumer has fetched ahead; which epochs have ended for it
patience.py, run_errors.py  how long the consumer waits; the errors and warnings that it gets
lifecycle.py       the table of states: what is allowed when
worker_threads.py  the threads, from their start to their end
epoch_run.py       ``EpochRun``: all of that under one lock
"""
