"""QC301 to QC399: running a pipeline."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "QC301",
        "'{stage}' was run before its pipeline was started",
        "the run stops here (TF1 would wait forever)",
        "call tf.train.start_queue_runners(sess=sess) after building the pipeline and creating the session, and "
        "before this run (a call before the pipeline is built does not start it); Supervisor and "
        "MonitoredTrainingSession call it themselves",
    ),
    Code(
        "QC302",
        "'{call}' was called after the graph was finalized",
        "nothing was built",
        "build every pipeline before Supervisor, MonitoredTrainingSession or graph.finalize() finalizes the graph",
    ),
    Code(
        "QC303",
        "'{stage}' can never produce an element: its source is empty (no rows, zero-size rows, or files without "
        "records), keep_input is False, or which_bucket is always out of range",
        "the run stops here (TF1 would wait forever)",
        "check what the pipeline was made from: a file pattern that matches nothing, a file whose writer was never "
        "closed, an empty array; a producer with num_epochs raises OutOfRangeError here, as at the end of the data",
    ),
    Code(
        "QC304",
        "'{stage}' has already started, and a new consumer would have to share its elements",
        "nothing was built",
        "build every consumer of a queue before start_queue_runners",
    ),
    Code(
        "QC305",
        "strict mode allows only compiled pipelines, and this one cannot be compiled: {reason}",
        "nothing was built",
        "{instead}; or turn strict mode off",
    ),
    Code(
        "QC306",
        "'{stage}' has produced nothing for {seconds} s while a step waits for it ({so_far}). It is waiting for "
        "{waits_for}",
        "the step keeps waiting; this message is printed once",
        "check what it is waiting for; queuecompat.explain() shows the whole pipeline",
    ),
    Code(
        "QC307",
        "the thread '{thread}' is waiting to enqueue into '{queue}', which is full; '{stage}' takes its elements "
        "from that queue, and nothing has been read from '{stage}' for 60 s",
        "the thread keeps waiting; this message is printed once",
        "if the training loop has ended, stop the thread: close the queue with cancel_pending_enqueues=True, and "
        "have the thread check coord.should_stop()",
    ),
    Code(
        "QC308",
        "'{stage}' was loaded from a saved graph, which does not contain the NumPy array that the pipeline reads",
        "the pipeline was not started",
        "build the pipeline with the program's own code and restore the variables into that graph; or import only "
        "the model from the saved graph, with an input_map for the batch",
    ),
    Code(
        "QC309",
        "{kind} ({place}) runs per example: {why}",
        "TensorFlow runs it, and the ops whose output it needs, once for each example instead of once for each "
        "batch: the elements are the same, but small ones take longer",
        "no change is needed; if the input limits your training, move that op after the batch",
    ),
    Code(
        "QC310",
        "'{stage}' has produced nothing for {seconds} s while the program waits for its next element. It is "
        "waiting for {waits_for}",
        "the program keeps waiting; this message is printed once for an iterator",
        "check what it is waiting for; queuecompat.explain() shows the whole pipeline",
    ),
    Code(
        "QC311",
        "no session can run in this process: it was forked from process {parent}, in which a session had already run",
        "the step was not run, because it would wait forever for threads that exist only in that process",
        "start worker processes with multiprocessing.get_context('spawn'), or fork before the first session.run",
    ),
    Code(
        "QC312",
        "'{stage}' was cancelled together with a step that was waiting for its next element ({cause})",
        "the pipeline produces no more elements in this session; those that it held are lost",
        "raise or remove the time limit of such steps (RunOptions.timeout_in_ms, "
        "ConfigProto.operation_timeout_in_ms), and do not fetch an op that may fail together with a batch; a "
        "MonitoredTrainingSession recovers by itself, from its last checkpoint",
    ),
    Code(
        "QC313",
        "reader.{call}() needs TensorFlow's own reader, but '{stage}' has already started and reads its records "
        "straight from the files",
        "nothing was built; the pipeline continues",
        "call it once before start_queue_runners, and run the tensor that it returns; the pipeline then uses "
        "TensorFlow's own reader",
    ),
    Code(
        "QC314",
        "{use} of a queue runner's queue needs TensorFlow's own queue, but '{queue}' was compiled and can only be "
        "inspected and closed",
        "nothing was built; the pipeline stays as it is",
        "take elements from what built the pipeline: the tensors of the batching function, or the queue that "
        "input_producer returned",
    ),
    Code(
        "QC315",
        "the thread '{thread}' has waited {seconds} s for the start of '{stage}'",
        "the thread keeps waiting, as in TF1",
        "call tf.train.start_queue_runners(sess=sess) in a different thread; Supervisor and MonitoredTrainingSession "
        "call it themselves",
    ),
    Code(
        "QC330",
        "more than max_errors={most} elements of '{stage}' failed; the last was {place}",
        "the run stops here",
        "read the list of skipped elements (queuecompat.report() or run --report); raise max_errors if so many "
        "failures are expected",
    ),
    Code(
        "QC331",
        "'{stage}' is not read {how}: {why}",
        "it keeps TensorFlow 1's order; if a shard was requested and the data cannot be divided, this is an error",
        "use uncompressed TFRecords, text lines or fixed-length records, and pass their file names only to readers; "
        "or build this pipeline outside the block that sets the option",
    ),
    Code(
        "QC332",
        "'{path}' is truncated: it ends within the header of the record that begins at byte {offset}",
        "the records before that have been read; TensorFlow's own reader would silently leave out the rest",
        "copy or write the file again; on_error='skip' reads the complete records and lists the file",
    ),
    Code(
        "QC333",
        "cannot find where the records of '{path}' begin: it is not a local file",
        "a global order and a part of the data need an index of the records, which is made only from local files",
        "copy the files to this machine, or mount their folder",
    ),
    Code(
        "QC334",
        "on_error='skip' has no effect on '{stage}', which runs on TensorFlow's own queues",
        "the first element that fails ends the run, as in TensorFlow 1",
        "change the pipeline so that it can be compiled (the other warning about it says how), or catch the error in "
        "your own ops",
    ),
    Code(
        "QC335",
        "every element of '{stage}' fails: {count} failures in a row, of the same elements over and over; the last "
        "was {place}",
        "the run stops here; otherwise on_error='skip' would read them forever",
        "read the list of skipped elements (queuecompat.report() or run --report); if all have the same reason, the "
        "parser, the file or its format is wrong",
    ),
    Code(
        "QC336",
        "'{path}' has fewer records after byte {offset} than expected: it was truncated or replaced",
        "the records before that have been read; TensorFlow's own reader would silently leave out the rest",
        "copy or write the file again, and restart when no program writes to it",
    ),
    Code(
        "QC340",
        "no part of '{stage}' can be cached: {why}",
        "every epoch computes its elements again, as without a cache",
        "if an option is the reason, choose between it and the cache; otherwise put the ops whose results are the same "
        "in every epoch before those that draw random numbers or call Python, or build this pipeline outside the block "
        "that sets the cache",
    ),
    Code(
        "QC341",
        "the cache folder '{folder}' cannot be used: {why}",
        "nothing was built",
        "pass a folder on a local disk that you may write to",
    ),
    Code(
        "QC342",
        "the cache file '{path}' is damaged: {why}",
        "the run stops here, because some of its elements may already have been used",
        "restart the program: a file with a wrong checksum has been removed, and its elements are computed again",
    ),
    Code(
        "QC350",
        "the position of '{stage}' cannot be restored: {why}",
        "after a restart, this pipeline reads from the beginning",
        "build a pipeline of its own for each batch, with queues that its own calls fill; or build this pipeline "
        "outside the block that sets checkpoint=True",
    ),
    Code(
        "QC351",
        "the checkpoint has no position for '{stage}'",
        "everything else is restored; this pipeline starts from the beginning",
        "no change is needed if the checkpoint was saved before the option was set, or by a different program",
    ),
    Code(
        "QC352",
        "the checkpoint has the position of a pipeline that differs from '{stage}'",
        "the pipeline continues after the same number of batches, but those were different batches",
        "restore with the batch size, capacity, seeds, reader and ops that the checkpoint was saved with",
    ),
    Code(
        "QC353",
        "'{stage}' can return to its position only by computing elements again: {why}",
        "restoring takes as long as computing these elements did; Python functions are called again for each",
        "no change is needed if restoring may take that long; otherwise remove the cause",
    ),
    Code(
        "QC354",
        "random='by_index' has no effect on '{stage}': {why}",
        "its random ops draw as without the option",
        "apply random ops to single records from files or arrays, without a seed; or build this pipeline outside the "
        "block that sets random='by_index'",
    ),
    Code(
        "QC360",
        "'{stage}' is not computed by the workers of the tf.data service: {why}",
        "this process computes it: correct, but the service does not make it faster",
        "if the cause is a seed, remove it; if it is an option, choose between it and the service; if it is an op, "
        "move it into the training step, after the batch, or write it with TensorFlow's ops; to use the service for "
        "other pipelines only, build those inside 'with queuecompat.options(data_service=...):'",
    ),
    Code(
        "QC361",
        "no tf.data service dispatcher answered at {address} within {seconds} s ({why})",
        "nothing was started",
        "start one there with 'python -m queuecompat serve --dispatcher --port {port}', and check the address, the "
        "port and the firewall between the machines",
    ),
    Code(
        "QC362",
        "the position of an iterator of '{stage}' cannot be saved: the workers of a tf.data service compute it, each "
        "at a position of its own",
        "no checkpoint was written",
        "leave the iterator out of the checkpoint: a restored program then starts with the first epoch; or build "
        "this dataset with checkpoint=True, which this process computes",
    ),
)
