"""QC601 to QC699: the loader."""

from __future__ import annotations

from queuecompat.codes.code import Code

__all__ = ["ROWS"]

ROWS = (
    Code(
        "QC601",
        "the loader got {given} for {argument}",
        "nothing was created",
        "pass {needed}",
    ),
    Code(
        "QC602",
        "the {what} {how} and cannot be used any more",
        "nothing is loaded",
        "create a new loader, or iterate inside its 'with' block, one iteration at a time (for two, two loaders)",
    ),
    Code(
        "QC603",
        "epoch {epoch} has no items: {why}",
        "the iteration stops here (otherwise a model would be trained on nothing, or wait forever)",
        "check the source: a pattern that matches no file, a filter that keeps nothing, a generator that is exhausted",
    ),
    Code(
        "QC604",
        "{what} needs to iterate over the source more than once, but the source is {given}, which allows that "
        "only once",
        "nothing was loaded",
        "pass a list, or an object whose __iter__ returns a new iterator each time",
    ),
    Code(
        "QC605",
        "load failed on {item} in epoch {epoch}: {raised}",
        "the iteration stops here; the batches before that item were delivered",
        "fix or remove the item; on_error='skip' continues without such items and lists them in loader.skipped",
    ),
    Code(
        "QC606",
        "the {source} failed during iteration: {raised}",
        "the iteration stops here; the batches before that were delivered",
        "see the cause, above; only errors that load itself raises can be skipped",
    ),
    Code(
        "QC607",
        "{item} returned {given}, but the first example, {model}, returned {other}; they cannot be batched together",
        "the iteration stops here",
        "return the same structure, shapes and dtypes for every item: crop, pad or convert in load",
    ),
    Code(
        "QC608",
        "{item} returned {given}, but the first example, {model}, returned {other}",
        "the iteration stops here",
        "write load so that it either returns an example for every item, or yields examples for every item; only if it "
        "yields may an item have no example",
    ),
    Code(
        "QC609",
        "{items} failed, which is more than max_errors={most}; the last was {last}: {raised}",
        "the iteration stops here",
        "look at loader.skipped; raise max_errors if so many failures are expected",
    ),
    Code(
        "QC610",
        "workers='processes' sends load and the source to other processes, but they cannot be pickled: {raised}",
        "no worker was started",
        "define load at the top level of a module, not as a lambda or inside a function, and keep open files and "
        "locks out of load and of the source; or use workers='threads'",
    ),
    Code(
        "QC611",
        "a worker process could not unpickle load or the source: {raised}",
        "the iteration stops here",
        "define load in a module that can be imported, not in a notebook, in python -c or in a program read from "
        "standard input; or use workers='threads'",
    ),
    Code(
        "QC612",
        "a worker process {how} while it was loading {item} in epoch {epoch}",
        "the iteration stops here; all workers are stopped",
        "check that item, and the memory: a process is often killed by the system because it used too much memory",
    ),
    Code(
        "QC613",
        "cannot allocate {needed} of shared memory; this loader already has {held}",
        "the iteration stops here",
        "reduce batch_size or capacity, or enlarge /dev/shm (docker run --shm-size=2g); or use workers='threads'",
    ),
    Code(
        "QC614",
        "a worker process imports the program when it starts, and this import would start workers again",
        "this worker process ends",
        "move the program's main code under 'if __name__ == \"__main__\":'",
    ),
    Code(
        "QC615",
        "a worker process {how} while it was starting",
        "the iteration stops here",
        "if it printed a traceback, move the program's main code under 'if __name__ == \"__main__\":', because each "
        "worker imports the program (one read from standard input cannot be imported); if it was killed, check the "
        "memory, because each worker imports all that the program does",
    ),
    Code(
        "QC616",
        "the loader was closed, but its workers had not ended after {seconds} s; being loaded: {items}",
        "their threads keep running until load returns or the program ends",
        "set a timeout on what load waits for; worker processes (workers='processes') can be stopped at any time",
    ),
    Code(
        "QC617",
        "the state does not match this loader: it {what}",
        "the loader's position has not changed",
        "pass what state_dict() of a loader with the same source and the same arguments returned",
    ),
    Code(
        "QC618",
        "load returns {given}, which cannot be converted to a tensor",
        "no dataset was created",
        "remove it from what load returns; or iterate over the loader itself, which returns any Python object",
    ),
    Code(
        "QC619",
        "the {what} of this loader is not known: {why}",
        "nothing was done",
        "count the batches while iterating, or do without it: a for loop needs no length",
    ),
    Code(
        "QC620",
        "none of the {count} items of epoch {epoch} produced an example{why}",
        "the iteration stops here (otherwise a model would be trained on nothing, or wait forever)",
        "check the paths and load; loader.skipped lists items that failed",
    ),
    Code(
        "QC621",
        "{place} is not a path and a label: {problem}",
        "nothing was built",
        "{fix}",
    ),
    Code(
        "QC622",
        "{list} contains no image{where}",
        "nothing was built (a loader without images would never produce a batch)",
        "{fix}",
    ),
    Code(
        "QC623",
        "pair {number} of the images is {given}, not a path and a label",
        "nothing was built",
        "pass pairs like ('images/cat.jpg', 3), or the name of a text file with such lines",
    ),
    Code(
        "QC624",
        "cannot read '{path}': {why}",
        "no example is made from this image",
        "check the list: paths are relative to the folder of a list's file, or to the current one where pairs were "
        "passed, unless root= sets a different one; on_error='skip' skips such images",
    ),
    Code(
        "QC625",
        "cannot decode '{path}': {why}",
        "no example is made from this image",
        "download or write the file again, or remove it from the list; on_error='skip' skips such images",
    ),
    Code(
        "QC626",
        "no decoder is installed for '{path}', which is {kind}",
        "no example is made from this image",
        "python -m pip install {packages}",
    ),
    Code(
        "QC627",
        "'{path}' has {size} pixels, but the crop needs {crop}",
        "no example is made from this image",
        "use a smaller crop, or enlarge the image; small='pad' centres it and fills the rest with zeros",
    ),
    Code(
        "QC628",
        "'{path}' has {size} pixels, but the mean image has {mean}",
        "no example is made from this image",
        "resize all images to one size, or subtract one number per channel: mean='channels'",
    ),
    Code(
        "QC629",
        "there is no standard way to convert '{path}' to 8 bits per channel: {why}",
        "no example is made from this image",
        "convert it to 8 bits per channel yourself, in the way that suits your data",
    ),
    Code(
        "QC630",
        "ImageListLoader got {argument}={given}: {problem}",
        "nothing was built",
        "see its docstring: help(queuecompat.ImageListLoader)",
    ),
    Code(
        "QC631",
        "'{path}' has {size} pixels, more than max_pixels={most}",
        "it was not decoded",
        "if the image really is that large, pass a larger max_pixels, or None for no limit{more}; on_error='skip' "
        "skips such images",
    ),
    Code(
        "QC632",
        "no batch was ready within timeout={seconds} s; being loaded: {items}",
        "the iteration stops here; worker processes are killed, and threads run until load returns",
        "check what load waits for (a network file system, a download, a lock), or pass a larger timeout",
    ),
    Code(
        "QC633",
        "no batch was ready for {seconds} s; being loaded: {items}",
        "the loader keeps waiting; this warning comes once per iteration",
        "check what load waits for; timeout= turns this into an error",
    ),
    Code(
        "QC634",
        "workers='processes' was used in a daemonic process, which may not start processes",
        "no worker was started",
        "use workers='threads' there, or start that process with daemon=False",
    ),
    Code(
        "QC635",
        "load ({where}) returned None for {item} in epoch {epoch}",
        "the iteration stops here",
        "return the example (a 'return' is often missing); for an item without an example, yield nothing, or raise "
        "an exception and pass on_error='skip'",
    ),
    Code(
        "QC636",
        "the sampler returned {given}, which is not an index from 0 to {last}",
        "the iteration stops here; the batches before that were delivered",
        "return indices of items of the source, as whole numbers",
    ),
    Code(
        "QC637",
        "the batch after the first {first} examples could not be finished: {raised}",
        "the iteration stops here; the batches before that were delivered",
        "fix collate, batch_transform or pad_to; the cause above has the line",
    ),
    Code(
        "QC638",
        "output='{library}' needs a package that cannot be imported: {raised}",
        "no loader was created",
        "python -m pip install {package}; or leave output='numpy'",
    ),
    Code(
        "QC639",
        "an array {given} of the batch cannot be converted: {raised}",
        "the iteration stops here",
        "return a dtype that the library has, or leave output='numpy' and convert it in the loop",
    ),
    Code(
        "QC640",
        "the label '{given}' of {place} is not one of the classes: {known}",
        "no loader was created",
        "add it to classes=, or leave classes out to take all labels that occur",
    ),
    Code(
        "QC641",
        "the record at byte {offset} of '{path}' cannot be read: {why}",
        "nothing is returned for it",
        "write or copy the file again; decompress a compressed file first (gzip -d)",
    ),
    Code(
        "QC642",
        "these bytes ({size}) are not a tf.train.Example: {why}",
        "nothing was returned",
        "check what was written; a tf.train.SequenceExample is a different message",
    ),
    Code(
        "QC643",
        "worker_init failed: {raised}",
        "the iteration stops here; all workers are stopped",
        "fix the function; it is called with the worker's number before anything is loaded",
    ),
    Code(
        "QC644",
        "a timeline is drawn with matplotlib, which cannot be imported: {raised}",
        "no picture was drawn; the numbers are in the timeline's workers, consumer and buffer",
        'python -m pip install "queuecompat[timeline]"',
    ),
    Code(
        "QC645",
        "pin_memory=True needs a GPU, and torch found none: {raised}",
        "batches are in ordinary memory",
        "leave pin_memory out, or install the torch that fits the GPU's driver",
    ),
)
