"""Why a session, or a loop that runs it, stays unchanged."""

from __future__ import annotations

from queuecompat.migrate.rewrite.refusals.refusal import Refusal

__all__ = ["ROWS"]

_APART = "write each statement on a line of its own"
_INTO_LOOP = "get its value with sess.run in the loop"
_ONE_PIPELINE = "write one input function for each"

ROWS = (
    # Sessions.
    Refusal(
        "second-session",
        "a second session has its own queues and variables, which start again",
        "run everything in one session",
    ),
    Refusal(
        "session-in-branches",
        "the branches of an 'if' create the session",
        "create it on a line of its own, after the 'if': sess = tf.Session(config=config)",
    ),
    Refusal(
        "second-start",
        "the variables are initialized again and lose their values",
        "run the initializer once, before the loop",
    ),
    Refusal(
        "initializers-with-more",
        "the run of the initializers has further arguments, such as a feed",
        "leave them out, if no initial value depends on them",
    ),
    Refusal(
        "run-too-early",
        "the session is run before all pipelines are built",
        "build all pipelines first",
    ),
    Refusal("never-run", "no loop runs it in a session", "move the loop that runs it into this function"),
    Refusal(
        "supervisor",
        "'{call}' creates the session, starts its queues and saves its variables",
        "create it with tf.Session, and do the rest in the loop",
    ),
    Refusal(
        "session-argument",
        "the session has the argument '{name}'",
        "create it with tf.Session, and write in the loop what the argument does",
    ),
    Refusal("run-by-eval", "'{call}' runs it", "write it as 'sess.run(...)'"),
    Refusal(
        "session-use",
        "it uses the session, the graph or the coordinator in a way that is not supported",
        "use them only to start, run and stop",
    ),
    Refusal("tensor-outside", "it uses a tensor outside the loop", _INTO_LOOP),
    Refusal("training-outside", "it uses the training op outside the loop", "run it in the loop"),
    Refusal(
        "recomputed",
        "'{name}' is recomputed by every session.run",
        "compute it in the function that the loop calls, or once in NumPy",
    ),
    Refusal(
        "changed-before-run",
        "'{name}' changes between this line and the run that needs it",
        "use a second name for the changed value",
    ),
    Refusal(
        "changed-by-graph",
        "'{name}' is set by functions that build the graph, and would be set only after this line",
        "read it after the loop",
    ),
    Refusal(
        "read-by-function",
        "'{name}' is different for each batch, and '{reader}' reads it from an enclosing scope",
        "pass it as an argument",
    ),
    Refusal("graph-op", "'{call}' belongs to a graph", "replace it with its TensorFlow 2 equivalent", in_graph=True),
    Refusal(
        "shared-seed",
        "random ops share the seed {seed}, so they would share one state in eager mode",
        "use a different seed for each",
    ),
    Refusal(
        "seed-of-parts",
        "each part of the graph that is run would have its own random state for the seed {seed}",
        "fetch everything in one run, or leave out the seed",
    ),
    # The pipelines of a block.
    Refusal("no-queues", "it runs no pipeline", "rewrite its computation for eager mode by hand"),
    Refusal("no-pipeline", "no statement here builds a pipeline", "build the pipeline in the block that runs it"),
    Refusal(
        "called-by-lookup",
        "'{call}' may build the pipeline, but which function it is is known only at run time",
        "call the input function by its name, in the block that runs it",
    ),
    Refusal(
        "no-batcher",
        "the pipeline does not end in a batcher, or in a function with one",
        "batch its tensors with tf.train.batch",
    ),
    Refusal(
        "not-the-batch",
        "'{call}' builds the pipeline, and returns something else than its batch",
        "return the tensors of the batcher from it, and compute with them here",
    ),
    Refusal(
        "pipeline-in-block",
        "the pipeline is built inside a block",
        "move its statements out of the block, or into a function",
    ),
    Refusal(
        "pipeline-uses-session",
        "the pipeline uses the session, the graph or the coordinator",
        "build it without them",
    ),
    Refusal(
        "between-queues",
        "'{name}' belongs to a pipeline, but is also used outside the pipeline",
        "if it is a tensor, batch it, too, and use the batch; else compute it again for this use",
    ),
    Refusal("batch-names-shared", "it uses names that belong to the batch of another pipeline", "use different names"),
    Refusal("two-batches", "it returns more than one batch", _ONE_PIPELINE),
    Refusal(
        "two-meanings",
        "'{name}' is the variable of a comprehension, and is also used outside it",
        "use a different name in the comprehension",
    ),
    # Runs of the session.
    Refusal("two-runs", "it runs the session twice", "run it once, and fetch both"),
    Refusal("run-with-others", "there is another statement on the line of the run", _APART),
    Refusal(
        "fed",
        "the run is fed in a way that is not supported, or has other arguments",
        "feed placeholders of this block, with a dict in the call or with a named dict that nothing else uses",
    ),
    Refusal("not-fed", "it does not feed '{name}', which it may need", "feed it in this run"),
    Refusal(
        "fed-rate",
        "'{name}', which is fed, is only a part of an argument of the optimizer",
        "pass it as the learning rate itself",
    ),
    Refusal(
        "fed-pipeline",
        "the pipeline uses '{name}', which is fed",
        "use a Python value",
    ),
    Refusal(
        "graph-name",
        "it uses a tensor, the session or the coordinator",
        _INTO_LOOP,
    ),
    Refusal(
        "session-passed",
        "it uses '{name}', the session or the coordinator, other than to start, run and stop",
        "write here what the called code does with it",
    ),
    Refusal("reads-and-changes", "it both reads and changes a variable", "read the variable on a line of its own"),
    Refusal(
        "run-in-expression",
        "the run is in {what}, where no batch can be taken",
        "write a loop",
    ),
    Refusal(
        "run-maybe",
        "the run is in a part of an expression that may not be evaluated",
        "write it as an 'if'",
    ),
    Refusal(
        "called-before-run",
        "'{call}' is called before the run",
        "run the session on a line of its own",
    ),
    Refusal("session-in-fetches", "the session is used in what it fetches", "fetch tensors only"),
    Refusal(
        "nested-fetch",
        "'{fetch}' is nested in the fetches",
        "fetch its parts one by one",
    ),
    Refusal("foreign-fetch", "'{fetch}' does not come from the batch", "fetch it in a run of its own"),
    Refusal(
        "fetch-order",
        "it is unknown whether '{fetch}' is read before or after the step",
        "fetch it in a run of its own",
    ),
    # Loops.
    Refusal("no-draws", "no run takes a batch", "fetch a tensor that is computed from the batch"),
    Refusal(
        "end-of-block",
        "the end of data ends the block of the session, and so skips the code after this loop",
        "move the code after the loop out of the block",
    ),
    Refusal(
        "changed-in-loop",
        "the loop changes the session or the coordinator",
        "leave the loop with 'break'",
    ),
    Refusal("stopped-before", "the coordinator was stopped before this run", "stop it after the last run"),
    Refusal(
        "graph-condition",
        "its condition uses a tensor, the session or the coordinator",
        "run the session on a line of its own, and test the value",
    ),
    Refusal(
        "run-in-condition",
        "a run is in the condition of its loop",
        "run it in the body, and leave the loop with 'break'",
    ),
    Refusal(
        "loop-over-graph",
        "its loop assigns to the name of a tensor, the session or the coordinator",
        "use a different name for the variable of the loop",
    ),
    Refusal(
        "loop-condition",
        "what its loop iterates over, or its condition, is computed from a tensor, the session or the coordinator",
        "iterate over numbers of steps: for step in range(steps)",
    ),
    Refusal(
        "held-error",
        "errors are passed to the coordinator, which does not raise them right after this",
        "call its join(threads) there",
    ),
    Refusal(
        "other-errors",
        "it catches errors other than the end of data",
        "catch tf.errors.OutOfRangeError or KeyboardInterrupt only",
    ),
    # Single loops: these refusals are not shown, because the loop is then rewritten with an iterator.
    Refusal("loop-end-is-error", "the end of data is an error here, and would be the end of the loop"),
    Refusal("no-plain-loop", "the session is not run by a plain loop"),
    Refusal("batch-as-list", "its batch is used as a list"),
    Refusal("loop-feeds", "its run is fed"),
    Refusal("loop-without-draw", "the run draws no batch"),
    Refusal("two-ends", "its loop may end in two ways"),
    Refusal("more-than-stopping", "its 'else' or 'finally' does more than to stop threads"),
    Refusal("handler-uses-graph", "it uses the error, the session or a tensor"),
    Refusal("loop-not-once", "the loop body must call session.run exactly once"),
    Refusal("graph-before-loop", "something before the loop uses a tensor or the session"),
    Refusal("leaves-before-run", "a turn of its loop may end before the run"),
    Refusal("pipeline-changed", "it changes what the pipeline reads"),
    Refusal("pipeline-result", "it reads what the pipeline's functions set"),
    Refusal("once-more", "it happens once more than there are batches"),
)
