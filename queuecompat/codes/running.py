"""QC301 to QC399: running a pipeline."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "QC301",
        "'{stage}' was run before its pipeline was started",
        "the run stops here (TF1 would wait forever)",
        "call tf.train.start_queue_runners(sess=sess) once, after the pipeline is built and the session created, and "
        "before this run (a call before the pipeline is built does not start it); "
        "Supervisor and MonitoredTrainingSession do it themselves",
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
        "check what the source was made from; with num_epochs the pipeline would end instead",
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
        "TensorFlow starts it, and what it needs, once for each example and not once for each batch: the same "
        "elements, but slower if they are small",
        "nothing has to be done; if reading limits your training, move that op after the batch",
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
        "this process was forked from process {parent}, in which a session had run; no session can run in it",
        "the step is refused: TensorFlow would wait forever for threads that are only in that process",
        "start worker processes with multiprocessing.get_context('spawn'), or fork before the first session.run",
    ),
    Code(
        "QC312",
        "'{stage}' was cut off by a step that was cancelled while it waited for the next element ({cause})",
        "the pipeline delivers nothing more in this session; what it held is lost",
        "give such a step more time, or none that is limited (RunOptions.timeout_in_ms, "
        "ConfigProto.operation_timeout_in_ms), and do not fetch what may fail beside a batch; a "
        "MonitoredTrainingSession starts again by itself, from its last checkpoint",
    ),
    Code(
        "QC313",
        "reader.{call}() needs TensorFlow's own reader, and '{stage}' has already started without one: its records "
        "come straight from the files",
        "nothing was built; the pipeline goes on",
        "call it once before start_queue_runners, and run the tensor that it returns; the pipeline then has "
        "TensorFlow's own reader",
    ),
    Code(
        "QC314",
        "{use} of a queue runner's queue needs TensorFlow's own queue, and '{queue}' was compiled: it can only be "
        "watched and closed",
        "nothing was built; the pipeline stays as it is",
        "take elements from what built the pipeline: the tensors of the batching function, or the queue that "
        "input_producer returned",
    ),
    Code(
        "QC315",
        "the thread '{thread}' has waited {seconds} s for the start of '{stage}'",
        "it goes on waiting, as in TF1",
        "call tf.train.start_queue_runners(sess=sess) in a different thread; Supervisor and MonitoredTrainingSession "
        "do it themselves",
    ),
    Code(
        "QC330",
        "more than max_errors={most} elements of '{stage}' failed; the last was {place}",
        "the run stops here",
        "look at the list of what was skipped (queuecompat.report() or run --report); raise max_errors if so many "
        "failures are expected",
    ),
    Code(
        "QC331",
        "'{stage}' is not read {how}: {why}",
        "its data keep TensorFlow 1's order; where a shard was asked for that it cannot be, this is an error",
        "use uncompressed TFRecords, lines or records of fixed length, and pass their names only to readers; or "
        "build this pipeline outside of the block that chooses the order",
    ),
    Code(
        "QC332",
        "'{path}' ends within the head of a record, which begins at byte {offset}: the file was cut",
        "its records before that have been read; TensorFlow's own reader would say nothing of the missing ones",
        "copy or write the file again; on_error='skip' reads what is whole, and lists the file",
    ),
    Code(
        "QC333",
        "the records of '{path}' cannot be found: it is not a file of this machine",
        "a global order, and parts of the data, need an index of the records, which is made from local files",
        "copy or mount the files",
    ),
    Code(
        "QC334",
        "on_error='skip' was chosen for '{stage}', which runs on TensorFlow's own queues and skips nothing",
        "the first element that fails there ends the run, as in TensorFlow 1",
        "make it one that compiles (the other warning about it says how), or catch the error in your own ops",
    ),
    Code(
        "QC335",
        "every element of '{stage}' fails: {count} in a row, again and again the same ones; the last was {place}",
        "the run stops here, where on_error='skip' would have read them forever",
        "look at the list of what was skipped (queuecompat.report() or run --report): a reason that is the same "
        "for all is a wrong parser, a wrong file, or a changed format",
    ),
    Code(
        "QC336",
        "'{path}' has fewer records after byte {offset} than it should have: it was cut, or has been replaced",
        "its records before that have been read; TensorFlow's own reader would say nothing of the missing ones",
        "copy or write the file again, and start again when nothing writes to it",
    ),
    Code(
        "QC340",
        "nothing of '{stage}' can be kept in its cache: {why}",
        "every epoch makes its elements again, as without a cache",
        "put the ops whose results are the same in every epoch before those that draw or call Python; or build "
        "this pipeline outside of the block that chooses the cache",
    ),
    Code(
        "QC341",
        "the cache folder '{folder}' cannot be used: {why}",
        "nothing was built",
        "name a folder on a local disk in which this user may write",
    ),
    Code(
        "QC342",
        "the cache file '{path}' is damaged: {why}",
        "the run stops here, as some of its elements may have been used",
        "start again: a file with a wrong checksum was removed, and its elements are made again",
    ),
    Code(
        "QC350",
        "the position of '{stage}' cannot be restored: {why}",
        "a restored program reads this pipeline from the beginning",
        "draw one batch from each pipeline, and let its own calls fill the queues; or build this pipeline outside "
        "of the block that chooses checkpoint=True",
    ),
    Code(
        "QC351",
        "the checkpoint has no position of '{stage}'",
        "everything else is restored, and this pipeline begins from the beginning",
        "none is needed for a checkpoint from before the option was chosen, or from a different program",
    ),
    Code(
        "QC352",
        "the checkpoint has a position of a different pipeline than '{stage}' is now",
        "the pipeline goes on after as many batches, which were different ones",
        "restore with the batch size, capacity, seeds, reader and ops that the checkpoint was saved with",
    ),
    Code(
        "QC353",
        "'{stage}' finds its position by computing elements again: {why}",
        "restoring takes as long as these elements did; a Python function is called again for each",
        "leave out what stands in the way, or allow for the time",
    ),
    Code(
        "QC354",
        "the random numbers of '{stage}' do not follow from its records: {why}",
        "its random ops draw as without random='by_index'",
        "let the ops that draw take single records, out of files or arrays, without a seed; or build this pipeline "
        "outside of the block that chooses random='by_index'",
    ),
    Code(
        "QC360",
        "'{stage}' is not computed by the workers of the tf.data service: {why}",
        "this process computes it: correct, but the service does not make it faster",
        "leave it out (a seed), move it to the training step, after the batch, or make it of TensorFlow's ops; or "
        "choose the service only for other pipelines: with queuecompat.options(data_service=...)",
    ),
    Code(
        "QC361",
        "no dispatcher of a tf.data service has answered at {address} for {seconds} s ({why})",
        "nothing was started",
        "start one there with 'python -m queuecompat serve --dispatcher --port {port}', and check the address, the "
        "port and the firewall between the machines",
    ),
    Code(
        "QC362",
        "the position of an iterator of '{stage}' cannot be saved: the workers of a tf.data service compute it, and "
        "each is at a place of its own",
        "no checkpoint was written",
        "leave the iterator out of the checkpoint: a restored program then begins with the first epoch; or build this "
        "dataset with checkpoint=True, which this process computes",
    ),
)
