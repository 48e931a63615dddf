"""Workers: who calls ``load``.

thread_pool.py     threads, which write into the batch's memory
process_pool.py    processes, each looked after by a thread
worker_process.py  this end of a process's pipe; worker_main.py the other end; messages.py what passes
pools.py           the workers of a loader's passes: which may stay for the next pass
"""
