"""The workers, which call ``load``: threads or processes.

thread_pool.py     worker threads, which write into the batch's memory
process_pool.py    worker processes, each of which is controlled by a thread of this process
worker_process.py  this end of a worker process's pipe; worker_main.py the other end; messages.py the messages
pools.py           the worker pools of a loader's passes, and which of them stay for the next pass
"""
