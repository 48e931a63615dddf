"""Pipelines in methods: which become datasets, and where a rewrite holds back. ``catalogue`` runs them."""

from __future__ import annotations

from typing import List

import pytest

from queuecompat.migrate.rewrite.begun_in_init import with_whole_methods
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import Source, parsed
from tests.migrate.sources import migrated, require_left_with_one_comment

READER = """\
import tensorflow as tf


class Reader(object):
    def __init__(self, files):
        self.files = files
{init}

{decorator}    def inputs(self):
        queue = tf.train.string_input_producer(self.files)
        {line} = tf.TextLineReader().read(queue)
        return tf.train.batch([{batched}], 2)
{more}"""


def reader(**parts: str) -> str:
    given = {"init": "", "decorator": "", "line": "_, line", "batched": "line", "more": "", **parts}
    return READER.format(**given).replace("\n\n\n\n", "\n\n")


def test_a_method_that_nothing_calls_becomes_one_that_returns_a_dataset() -> None:
    assert "    @queuecompat.input_pipeline\n    def inputs(self):" in migrated(reader(), "as-dataset")
    assert "dataset = tf.data.TextLineDataset(dataset)" in migrated(reader(), "tf-data")


def test_a_decorator_of_methods_stays_the_outer_one() -> None:
    text = migrated(reader(decorator="    @classmethod\n"), "as-dataset")
    assert "    @classmethod\n    @queuecompat.input_pipeline\n    def inputs(self):" in text


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(
    "parts",
    [
        {"more": "\n\ndef shapes(one):\n    return [part.shape for part in one.inputs()]\n"},
        {"more": "\n\ndef later(one):\n    return one.inputs\n"},
        {"more": "\n\ndef later(one):\n    return getattr(one, 'inputs')\n"},
        {"decorator": "    @property\n"},
        {"decorator": "    @functools.lru_cache()\n"},
    ],
)
def test_a_method_that_may_be_called_elsewhere_is_left(to: str, parts: dict) -> None:
    one = parsed("reader.py", reader(**parts))
    result = rewritten_together([one], to)[one]
    assert result.is_comment and "is used in the class 'Reader'" in result.left[0].what


MAKES_SCALE = {"init": "        self.scale = tf.constant(2.0)", "batched": "line, self.scale"}
KEEPS_LINE = {
    "line": "_, self.line",
    "batched": "self.line",
    "more": "\n    def shape(self):\n        return self.line\n",
}


@pytest.mark.parametrize("parts", [MAKES_SCALE, KEEPS_LINE])
def test_a_method_that_shares_tensors_with_others_is_left(parts: dict) -> None:
    one = parsed("reader.py", reader(**parts))
    result = rewritten_together([one], "as-dataset")[one]
    assert result.is_comment and "is used in the class 'Reader'" in result.left[0].what


LOOP = """

class Trainer(object):
    def __init__(self):
        {init}

    def inputs(self):
        queue = tf.train.string_input_producer(['a'])
        {target} = {reader}.read(queue)
        return tf.train.batch([{batched}], 2)

    def train(self):
        lines = self.inputs()
        with tf.Session() as sess:
            tf.train.start_queue_runners(sess)
            for _ in range(3):
                print(sess.run(lines), {shown})
"""


def loop(**parts: str) -> str:
    given = {"init": "pass", "target": "_, line", "reader": "tf.TextLineReader()", "batched": "line", "shown": "1"}
    return "import tensorflow as tf\n" + LOOP.format(**{**given, **parts})


def test_the_loop_of_a_class_iterates_over_the_batches_of_its_method() -> None:
    assert "for lines in input_pipeline().take(3):" in migrated(loop(), "as-dataset")


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"init": "self.reader = tf.TextLineReader()", "reader": "self.reader"}, "a different method creates it"),
        ({"init": "self.reader = tf.TextLineReader()"}, "can only be created in a graph"),
        ({"target": "_, self.line", "batched": "self.line", "shown": "self.line"}, "may be used outside this"),
    ],
)
def test_the_loop_of_a_class_that_shares_tensors_with_its_pipeline_is_left(parts: dict, reason: str) -> None:
    require_left_with_one_comment(loop(**parts), "as-dataset", "QC743", reason)


def test_a_method_whose_name_a_different_file_has_is_left() -> None:
    one = parsed("reader.py", reader())
    other = parsed(
        "train.py", "import tensorflow as tf\n\n\ndef run(model):\n    return tf.train.batch(model.inputs(), 2)\n"
    )
    assert rewritten_together([one], "as-dataset")[one].datasets
    for order in ([one, other], [other, one]):
        assert not rewritten_together(order, "as-dataset")[one].datasets


BEGUN = """\
import tensorflow as tf


class Reader(object):
    def __init__(self, files, size=2):
        self.size = size
        self.queue = tf.train.string_input_producer(files)
        self.reader = tf.TextLineReader()

    def inputs(self):
        _, line = self.reader.read(self.queue)
        return tf.train.batch([line], self.size)
"""
BOTH = "        self.queue = tf.train.string_input_producer(files)\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        # The queue of one object serves two calls.
        ("", "\n\ndef both(one):\n    return one.inputs(), one.inputs()\n"),
        ("", "\n\ndef several(files):\n    one = Reader(files)\n    return [one.inputs() for _ in range(2)]\n"),
        ("", "\n\nONE = Reader(['a'])\n\n\ndef show():\n    print(ONE.inputs())\n"),
        ("", "\n    def left(self):\n        return self.queue.size()\n"),
        # What the queue is made of may be a different thing later.
        ("", "\n\nfiles = ['a']\none = Reader(files)\nfiles.append('b')\nprint(one.inputs())\n"),
        ("", "\n\nfiles = ['a']\none = Reader(files)\nmixed(files)\nprint(one.inputs())\n"),
        (BOTH, BOTH + "        files.append('x')\n"),
        (BOTH, "        self.names = files\n" + BOTH.replace("(files)", "(self.names)") + "        self.names = []\n"),
        (BOTH, "        self.files = files[:1]\n" + BOTH),
        # The method cannot have it.
        ("def inputs(self)", "def inputs(this)"),
        ("    def inputs(self)", "    @kept\n    def inputs(self)"),
        (BOTH, "        register(self)\n" + BOTH),
        (BOTH, "        if files:\n    " + BOTH),
        ("(object)", "(Base)"),
        ("", "\n\nclass More(Reader):\n    pass\n"),
    ],
)  # fmt: skip
def test_what_init_begins_stays_there_where_it_is_not_for_one_call_alone(to: str, old: str, new: str) -> None:
    text = BEGUN.replace(old, new, 1) if old else BEGUN + new
    one = parsed("reader.py", text)
    assert with_whole_methods(one) is None
    result = rewritten_together([one], to)[one]
    assert result.is_comment and text.splitlines() == [
        line for line in result.text.splitlines() if "# queuecompat: QC74" not in line
    ]


def moved(to: str) -> str:
    one = parsed("reader.py", BEGUN)
    return rewritten_together([one], to)[one].text


def test_what_init_begins_moves_into_the_method_that_ends_it() -> None:
    assert (
        moved("as-dataset")
        == """\
import queuecompat
import tensorflow.compat.v1 as tf


class Reader(object):
    def __init__(self, files, size=2):
        self.size = size
        self.files = files

    @queuecompat.input_pipeline
    def inputs(self):
        self.queue = tf.train.string_input_producer(self.files)
        self.reader = tf.TextLineReader()
        _, line = self.reader.read(self.queue)
        return tf.train.batch([line], self.size)
"""
    )
    assert "        dataset = tf.data.Dataset.from_tensor_slices(self.files)\n" in moved("tf-data")


@pytest.mark.parametrize("more", ["one = Reader(files)\nlines = one.inputs()\n", "lines = Reader(files).inputs()\n"])
def test_an_attribute_that_has_the_argument_already_is_taken(more: str) -> None:
    text = BEGUN.replace("        self.size", "        self.names = files\n        self.size")
    one = parsed("reader.py", text + "\n\n" + more)
    copy = with_whole_methods(one)
    assert copy is not None and "        self.queue = tf.train.string_input_producer(self.names)\n" in copy.text


# Files that use the class: each creates an object, and calls its method once.
USER = """\
import tensorflow as tf
from reader import Reader


def run(files):
    {made}
    lines = {call}
    with tf.Session() as sess:
        tf.train.start_queue_runners(sess)
        for step in range(3):
            print(sess.run(lines))
{more}"""


def of_users(**parts: str) -> List[str]:
    """What becomes of the class and of two files that use it, the second of which has *parts* of its own."""
    parts = {"made": "reader = Reader(files)", "call": "reader.inputs()", "more": "", **parts}
    plain = USER.format(made="reader = Reader(files, 3)", call="reader.inputs()", more="")
    texts = {"reader.py": BEGUN, "train.py": plain, "test.py": USER.format(**parts)}
    sources = [parsed(f"/program/{name}", text) for name, text in texts.items()]
    results = rewritten_together(sources, "tf-data")
    return [results[one].text for one in sources]


SEED = "tf.set_random_seed(1)\n    "


@pytest.mark.parametrize(
    "parts",
    [
        {},
        {"made": "pass", "call": "Reader(files).inputs()"},
        {"made": "reader = Reader(files)\n    scale = tf.constant(2.0)"},
    ],
)
def test_what_init_begins_moves_where_other_files_call_the_method_once_for_each_object(parts: dict) -> None:
    begun, *users = of_users(**parts)
    assert "self.files = files" in begun and "tf.train.string_input_producer(files)" not in begun
    assert all(".inputs())" in user and "Session" not in user for user in users)


@pytest.mark.parametrize(
    "parts",
    [
        {"more": "    print(reader.inputs())\n"},
        {"more": "\n\ndef later(one):\n    return one.inputs()\n"},
        {"more": "\n\ndef later(one, name='inputs'):\n    return getattr(one, 'inputs')\n"},
        {"more": "\n\nclass More(Reader):\n    pass\n"},
        {"more": "    print(sess.run(reader.queue.size()))\n"},
        {"made": "reader = made(Reader, files)"},
        {"made": SEED + "reader = Reader(files)\n    scale = tf.constant(2.0)"},
        {"made": "reader = Reader(files)\n    files.append('x')"},
        {"call": "[reader.inputs() for _ in range(2)]"},
        {"call": "[Reader(files).inputs() for _ in range(2)]"},
    ],
)
def test_what_init_begins_stays_where_another_file_may_call_the_method_again(parts: dict) -> None:
    begun, *_ = of_users(**parts)
    assert "self.queue = tf.train.string_input_producer(files)" in begun


# Each object's method has a queue of its own; only the reader is created with the object.
KEPT_READER = READER.replace("tf.TextLineReader()", "self.reader").format(
    init="        self.reader = tf.TextLineReader({arguments})", decorator="", line="_, line", batched="line", more=""
)
TWO_READERS = """\
import tensorflow as tf
from reader import Reader

train, test = Reader(['a']), Reader(['b'])
both = [train.inputs(), test.inputs()]
with tf.Session() as sess:
    tf.train.start_queue_runners(sess)
    for step in range(3):
        print(sess.run(both))
{more}"""


def of_kept_reader(old: str = "", new: str = "", arguments: str = "", more: str = "") -> str:
    """What becomes of the class."""
    text = KEPT_READER.replace("{arguments}", arguments).replace(old, new)
    sources = [parsed("/program/train.py", TWO_READERS.format(more=more)), parsed("/program/reader.py", text)]
    return rewritten_together(sources, "tf-data")[sources[1]].text


@pytest.mark.parametrize("arguments", ["", "skip_header_lines=1", "HEADER"])
def test_a_reader_that_is_the_same_for_every_object_moves_into_the_method_that_reads_with_it(arguments: str) -> None:
    text = of_kept_reader("class Reader", "HEADER = 1\n\n\nclass Reader", arguments)
    assert "self.reader" not in text and "tf.data.TextLineDataset(" in text
    assert (".skip(" in text) == bool(arguments)


@pytest.mark.parametrize(
    "changes",
    [
        # Different objects, or calls, may read with different readers, or one reader for several queues.
        {"arguments": "skip_header_lines=len(files)"},
        {"old": "def inputs(self)", "new": "def inputs(self, size=2)"},
        {"old": "(object)", "new": "(Base)"},
        {"old": "self.files = files", "new": "self.files = tf.train.string_input_producer(files)"},
        {"more": "print(sess.run(train.reader.num_records_produced()))\n"},
        {"more": "tf.set_random_seed(1)\n"},
    ],
)  # fmt: skip
def test_a_reader_that_may_serve_several_queues_stays_with_its_object(changes: dict) -> None:
    assert "        self.reader = tf.TextLineReader(" in of_kept_reader(**changes)


# A class of its own file, and a program that makes an object of it.
OF_CLASS = """\
import tensorflow as tf


class Rows(object):
    def __init__(self, count):
        self.count = count

    def batches(self, size):
        row = tf.train.range_input_producer(self.count, shuffle=False).dequeue()
        return tf.train.batch([row], size)
"""
OF_PROGRAM = """\
import tensorflow as tf
from rows import Rows

{made}
batch = data.batches(2)
sess = tf.Session()
tf.train.start_queue_runners(sess)
print(sess.run(batch))
{more}
"""


def of_two_files(made: str = "data = Rows(6)", more: str = "", others: str = "") -> str:
    """What becomes of the program."""
    main = parsed("/program/main.py", OF_PROGRAM.format(made=made, more=more))
    files = [main, parsed("/program/rows.py", OF_CLASS)]
    files += [parsed("/program/others.py", others)] if others else []
    return rewritten_together(files, "as-dataset")[main].text


def test_an_object_of_a_different_file_has_the_batches_of_its_method() -> None:
    assert "batches_ = iter(data.batches(2))\nbatch = batches_.get_next()\n" in of_two_files()
    assert "iter(" in of_two_files(others="import tensorflow as tf\nfrom rows import Rows\nRows(3).count\n")


@pytest.mark.parametrize(
    "parts",
    [
        {"made": "data = Rows(6)\nif x:\n    data = Rows(7)"},
        {"made": "data = made(Rows)"},
        {"made": "data = [Rows(6)][0]"},
        {"more": "other.batches(3)"},
        {"more": "print(data.batches)"},
        {"more": "getattr(data, 'batches')(3)"},
        {"others": "import tensorflow as tf\nimport rows\ndef f(one):\n    return one.batches(2)\n"},
        {"others": "import tensorflow as tf\nimport rows\nname = 'batches'\nboth = getattr(rows, name)\n"},
    ],
)
def test_a_method_that_may_serve_something_else_keeps_the_session(parts: dict) -> None:
    text = of_two_files(**parts)
    assert "iter(" not in text and "sess.run(batch)" in text


READS = """\
import tensorflow as tf
class ImageReader(object):
    def __init__(self, files, coord):
        self.coord = coord
        self.queue = tf.train.string_input_producer(files)
        self.line = tf.TextLineReader().read(self.queue)[1]
    def dequeue(self, count):
        return tf.train.batch([self.line], count)
"""
USES = """\
import tensorflow as tf
from reader import ImageReader
coord = tf.train.Coordinator()
reader = ImageReader(['a'], coord)
lines = reader.dequeue(2)
sess = tf.Session()
threads = tf.train.start_queue_runners(sess, coord)
for step in range(3):
    print(sess.run(lines))
coord.request_stop()
coord.join(threads)
"""


def test_a_reader_may_be_given_the_coordinator() -> None:
    sources = [parsed("/program/train.py", USES), parsed("/program/reader.py", READS)]
    new = rewritten_together(sources, "as-dataset")
    begin = "    coord = tf.train.Coordinator()\n    reader = ImageReader(['a'], coord)\n    return reader.dequeue(2)\n"
    assert begin in new[sources[0]].text and new[sources[0]].text.count("coord") == 2
    asks = USES.replace("dequeue(2)", "dequeue(2 - coord.should_stop())")
    sources[0] = parsed("/program/train.py", asks)
    [found] = rewritten_together(sources, "as-dataset")[sources[0]].left
    assert "the pipeline uses the session, the graph or the coordinator" in found.what


def test_a_class_is_not_blamed_for_what_keeps_the_session_of_its_user() -> None:
    """The finding used to advise to build the pipeline outside the class."""
    seeded = USES.replace("coord = ", "tf.set_random_seed(1)\ncoord = ").replace("lines", "x = tf.zeros([])\nlines", 1)
    sources = [parsed("/program/train.py", seeded), parsed("/program/reader.py", READS)]
    [found] = rewritten_together(sources, "as-dataset")[sources[1]].left
    assert "only together with 'train.py', where 'tf.set_random_seed' belongs to a graph" in found.what


def test_a_method_that_another_file_calls_is_left_because_it_is_one() -> None:
    """The finding used to advise to call it by its plain name."""
    user = "import tensorflow as tf\nfrom reader import Reader\ntrain = [Reader(['a'])][0]\nlines = train.inputs()\n"
    sources = [parsed("/program/train.py", user + "sess = tf.Session()\n"), parsed("/program/reader.py", reader())]
    [found] = rewritten_together(sources, "tf-data")[sources[1]].left
    assert "is used in the class 'Reader'" in found.what


# How a file gets batches from an object of a class in another file.
OBJECTS = {
    "a name": ("from reader import Reader", "", "train = Reader(['a'])", "train.inputs()"),
    "two names": ("from reader import Reader", "", "train, test = Reader(['a']), Reader(['b'])", "train.inputs()"),
    "two targets": ("from reader import Reader", "", "train = test = Reader(['a'])", "train.inputs()"),
    "import *": ("from reader import *", "", "train = Reader(['a'])", "train.inputs()"),
    "no name": ("import reader", "", "", "reader.Reader(['a']).inputs()"),
    "an attribute": ("from reader import Reader", "self.train = Reader(['a'])", "", "self.train.inputs()"),
}
TRAINER = """\
import tensorflow as tf
{imported}


class Trainer(object):
    def __init__(self):
        self.steps = 2
        {init}

    def run(self):
        {made}
        lines = {call}
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            tf.train.start_queue_runners(sess)
            for step in range(self.steps):
                print(sess.run(lines))
"""


def trainer(imported: str, init: str, made: str, call: str) -> List[Source]:
    text = TRAINER.format(imported=imported, init=init or "pass", made=made or "pass", call=call)
    return [parsed("/program/train.py", text), parsed("/program/reader.py", reader())]


@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("form", OBJECTS)
def test_a_method_of_a_class_in_another_file_is_rewritten_with_its_caller(form: str, target: str) -> None:
    sources = trainer(*OBJECTS[form])
    train, classes = (rewritten_together(sources, target)[one] for one in sources)
    assert not train.left and not classes.left
    assert f"batches = iter({OBJECTS[form][3]})" in train.text
    assert ("@queuecompat.input_pipeline" in classes.text) == (target == "as-dataset")


@pytest.mark.parametrize(
    ("init", "made", "call"),
    [
        # Which object it is, is known only at run time.
        ("self.train = Reader(['a'])\n        self.train = None", "", "self.train.inputs()"),
        ("self.train = Reader(['a']) if self.steps else None", "", "self.train.inputs()"),
        ("self.train, self.test = two()", "", "self.train.inputs()"),
        ("", "train, test = [Reader(['a'])] * 2", "train.inputs()"),
        ("", "train = test = Reader(['a'])\n        train = self", "train.inputs()"),
        ("", "train = getattr(Reader(['a']), 'inputs')", "train()"),
    ],
)
@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_a_method_of_an_unknown_object_is_left(init: str, made: str, call: str, target: str) -> None:
    sources = trainer("from reader import Reader", init, made, call)
    assert "with tf.Session() as sess" in rewritten_together(sources, target)[sources[0]].text


PASSED = """\
import tensorflow as tf


def run(train, steps=2):
    lines = train.inputs()
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        for step in range(steps):
            print(sess.run(lines))


class Trainer(object):
    def __init__(self, train=None):
        self.given = train

    def run(self):
        lines = self.given.inputs()
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            tf.train.start_queue_runners(sess)
            for step in range(2):
                print(sess.run(lines))
"""


def passed(calls: str, more: str = "") -> List[Source]:
    """A program of three files: the one with *calls*, those that run sessions, and the class with the pipeline."""
    main = f"from reader import Reader\nfrom trainer import Trainer, run\n\n\ndef main():\n    {calls}\n"
    texts = {"main": main, "trainer": PASSED, "reader": reader(more=more)}
    return [parsed(f"/program/{name}.py", text) for name, text in texts.items()]


@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_an_object_is_followed_to_where_it_is_passed(target: str) -> None:
    sources = passed(
        "train = Reader(['a'])\n    run(train)\n    run(steps=3, train=Reader('b'))\n    Trainer(train).run()"
    )
    results = rewritten_together(sources, target)
    assert not [found for one in results.values() for found in one.left]
    text = results[sources[1]].text
    assert "iter(train.inputs())" in text and "iter(self.given.inputs())" in text and "Session" not in text


@pytest.mark.parametrize(
    "calls",
    [
        "run(Reader(['a']))\n    run(None)\n    Trainer(Reader(['a'])).run()",
        "run(Reader(['a']))\n    Trainer().run()",
        "run(Reader(['a']))\n    Trainer(*[Reader(['a'])]).run()",
        "run(Reader(['a']))\n    Trainer(Reader(['a'])).run()\n    print(run)",
        "run(Reader(['a']))\n    Trainer(Reader(['a'])).given = None",
        "run(reader.Other(['a']))\n    Trainer(Reader(['a'])).run()\n    import reader",
    ],
)
@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
def test_an_object_that_may_be_another_one_is_not_followed(calls: str, target: str) -> None:
    sources = passed(calls, "\n\nclass Other(Reader):\n    def inputs(self):\n        return tf.constant(['b'])\n")
    assert "with tf.Session() as sess" in rewritten_together(sources, target)[sources[1]].text


# Classes whose method ``inputs`` is certainly, or perhaps, that of ``Reader``.
DERIVED = "from reader import Reader\n\n\nclass Other(Reader):\n    {}\n"
INHERITING = (DERIVED.format("pass"), DERIVED.format("def more(self):\n        return 1"))
NOT_INHERITING = (
    DERIVED.format("def inputs(self):\n        return super(Other, self).inputs() + 'b'"),
    DERIVED.replace("(Reader)", "(Mixed, Reader)").format("pass"),
    DERIVED.replace("(Reader)", "(made(Reader))").format("pass"),
)


@pytest.mark.parametrize("target", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("other", [*INHERITING, *NOT_INHERITING])
def test_an_inherited_method_is_followed_to_its_base_class(other: str, target: str) -> None:
    """Its session was kept: which method it is was only known at run time."""
    train, classes = trainer("from other import Other", "", "train = Other(['a'])", "train.inputs()")
    texts = rewritten_together([train, parsed("/program/other.py", other), classes], target)
    assert ("Session" not in texts[train].text) == (other in INHERITING)
    assert ("batches = iter(train.inputs())" in texts[train].text) == (other in INHERITING)


# How a file names the class of a different file whose method it calls.
CLASSES = {
    "its name": ("from reader import Reader", "Reader"),
    "a module": ("import reader", "reader.Reader"),
    "a second name": ("import reader\n\nData = reader.Reader", "Data"),
    "two files": ("try:\n    from reader import Reader\nexcept ImportError:\n    from old import Reader", "Reader"),
    "a derived class": ("import reader\n\n\nclass Data(reader.Reader):\n    pass", "Data"),
}


@pytest.mark.parametrize("kept", [False, True])
@pytest.mark.parametrize("form", CLASSES)
def test_a_method_of_a_class_changes_with_those_who_call_it_by_the_class(form: str, kept: bool) -> None:
    """The session ran a dataset: a TypeError."""
    imported, name = CLASSES[form]
    user, classes = trainer(imported, "", "", f"{name}.inputs()")
    if kept:
        user = user.again(user.text.replace("print(sess.run(lines))", "print(sess.run(lines), sess.graph)"))
    classes = classes.again(reader(decorator="    @classmethod\n").replace("(self.files)", "(['a'])"))
    new, other = (rewritten_together([user, classes], "tf-data")[one].text for one in (user, classes))
    if form == "a derived class":
        assert f"lines = {name}.inputs()" in new and "return tf.data.make_one_shot_iterator(dataset)" in other
    elif kept:
        assert f"make_one_shot_iterator({name}.inputs()).get_next()" in new and "tf.train.batch(" not in other
    else:
        assert f"iter({name}.inputs())" in new and "tf.train.batch(" not in other
