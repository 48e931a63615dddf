"""Programs whose files get at each other's functions in other ways than a call in a session's block."""

from __future__ import annotations

import pathlib
from typing import Dict, List

import pytest

from queuecompat.migrate.analysis.module_files import ModuleFiles
from queuecompat.migrate.rewrite.migrating import Migrated, migrate
from queuecompat.migrate.rewrite.targets import TARGETS
from tests.forking import Server
from tests.migrate.sources import migrated, require_left_with_one_comment, source

HEAD = "import tensorflow as tf\n"
PLAIN = "    i = tf.train.range_input_producer(6, shuffle=False).dequeue()\n"
INPUTS = f"\n\ndef inputs(n):\n{PLAIN}    return tf.train.batch([i], n)\n"
SESSION = (
    "    with tf.Session() as sess:\n"
    "        tf.train.start_queue_runners(sess)\n"
    "        for _ in range(2):\n"
    "            print(sess.run(batch))\n"
)
REGISTRY = (
    "TABLE = {}\n\n\ndef register(name):\n    def add(f):\n        TABLE[name] = f\n        return f\n    return add\n"
)
CLASS = "class Note:\n    def __call__(self, f):\n        TABLE.append(f)\n        return {}\n"
REGISTERED = HEAD + "from registry import register\n" + INPUTS.replace("def", '@register("plain")\ndef')
LOOKS_UP = HEAD + "import registry\nimport sources\n\n\ndef main():\n    batch = registry.TABLE['plain'](3)\n" + SESSION
# A model that no rewrite takes: what runs it is a thread.
THREAD = (
    "batch = tools.inputs(2)\nsess = tf.Session()\ntf.train.start_queue_runners(sess)\n"
    "thread = threading.Thread(target=lambda: print(sess.run(batch)))\nthread.start()\nthread.join()\n"
)


def rewritten(folder: pathlib.Path, to: str, files: Dict[str, str]) -> Dict[str, Migrated]:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    done = {one.path.name: one for one in migrate([str(folder)], to)}
    for one in done.values():
        one.path.write_bytes(one.new)
    for again in migrate([str(folder)], to):
        assert again.new == done[again.path.name].new
    return done


def test_a_table_gets_the_function_that_returns_a_dataset(tmp_path: pathlib.Path) -> None:
    """It got the function below the decorator, whose queues are TensorFlow's own."""
    files = {"registry.py": REGISTRY, "sources.py": REGISTERED, "main.py": LOOKS_UP}
    done = rewritten(tmp_path, "as-dataset", files)
    assert '@register("plain")\n@queuecompat.input_pipeline\ndef inputs' in done["sources.py"].new.decode()
    assert done["registry.py"].new == done["registry.py"].old


def test_a_session_that_looks_functions_up_runs_by_itself(tmp_path: pathlib.Path) -> None:
    """It ran under 'queuecompat run' alone, and QC746 said that nothing in the given files calls the function."""
    files = {"registry.py": REGISTRY, "sources.py": REGISTERED, "main.py": LOOKS_UP}
    done = rewritten(tmp_path, "as-dataset", files)
    assert [found.code for one in done.values() for found in one.left] == ["QC714"]
    assert done["main.py"].new.startswith(b"import queuecompat.v1 as tf\n")


@pytest.mark.parametrize(
    ("decorator", "is_inside"),
    [
        ("def note(f):\n    TABLE.append(f)\n    return f\n", True),
        ("def note(f):\n    def inner(n):\n        return f(n) * 2\n    return inner\n", False),
        ("def note(f):\n    if TABLE:\n        return f\n    return None\n", False),
        ("from elsewhere import note\n", False),
        (CLASS.format("f"), True),
        (CLASS.format("self"), False),
    ],
)
def test_a_decorator_that_returns_its_function_stays_outside(decorator: str, is_inside: bool) -> None:
    note = "@Note()" if "class" in decorator else "@note"
    text = migrated(HEAD + "TABLE = []\n" + decorator + INPUTS.replace("def", f"{note}\ndef"), "as-dataset")
    inside, outside = f"{note}\n@queuecompat.input_pipeline\ndef", f"@queuecompat.input_pipeline\n{note}\ndef"
    assert (inside if is_inside else outside) in text


def test_a_method_of_an_object_of_the_file_stays_outside_the_decorator_too() -> None:
    noting = "\n\nclass Table:\n    def note(self, f):\n        self.last = f\n        return f\n\n\nTABLE = Table()\n"
    text = migrated(HEAD + noting + INPUTS.replace("def", "@TABLE.note\ndef"), "as-dataset")
    assert "@TABLE.note\n@queuecompat.input_pipeline\ndef inputs" in text


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("through", ["tools.show(3)", "driver.both()"])
def test_a_loop_that_a_program_of_graphs_calls_keeps_its_session(to: str, through: str, tmp_path: pathlib.Path) -> None:
    """It became an eager one, and the program ended in an AttributeError: it ran before."""
    tools = HEAD + INPUTS + "\n\ndef show(n):\n    batch = inputs(n)\n" + SESSION
    own = "tf.train.batch([tf.train.range_input_producer(4).dequeue()], 2)"
    main = HEAD + f"import threading\nimport driver\nimport tools\n\n{through}\ntf.reset_default_graph()\n"
    main += THREAD.replace("tools.inputs(2)", own)
    driver = HEAD + "import tools\n\n\ndef both():\n    tf.reset_default_graph()\n    tools.show(3)\n"
    done = rewritten(tmp_path, to, {"tools.py": tools, "main.py": main, "driver.py": driver})
    assert "with tf.Session() as sess:" in done["tools.py"].new.decode()
    assert "QC714" in {found.code for found in done["tools.py"].left}


def test_a_loop_that_only_eager_programs_call_becomes_one(tmp_path: pathlib.Path) -> None:
    tools = HEAD + INPUTS + "\n\ndef show(n):\n    batch = inputs(n)\n" + SESSION
    done = rewritten(tmp_path, "as-dataset", {"tools.py": tools, "main.py": "import tools\n\ntools.show(3)\n"})
    assert "tf.Session" not in done["tools.py"].new.decode()


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_pipeline_outside_of_functions_that_stays_is_named(to: str, tmp_path: pathlib.Path) -> None:
    """It stayed without a word, beside one that was rewritten."""
    reader = (
        HEAD + f"i = tf.train.input_producer([1, 2], shuffle=False).dequeue()\nb = tf.train.batch([i], 2)\n{INPUTS}"
    )
    main = HEAD + "import threading\nimport tools\n\n" + THREAD.replace("sess.run(batch)", "sess.run([batch, tools.b])")
    done = rewritten(tmp_path, to, {"tools.py": reader, "main.py": main})
    [found] = done["tools.py"].left
    assert (found.code, found.line) == ("QC715", 2) and "outside functions" in found.what


def test_files_beside_rewritten_ones_are_not_commented_by_a_second_run(tmp_path: pathlib.Path) -> None:
    """They got comments that said that all of it stays, and to run it by 'queuecompat run'."""
    reader = HEAD + INPUTS + INPUTS.replace("inputs", "others").replace("[i]", "[i, i]")
    # A list, of which the iterator is in the function itself.
    main = HEAD + "import threading\nimport tools\n\n" + THREAD.replace("tools.inputs(2)", "tools.others(2) + [1]")
    show = HEAD + "import tools\n\nbatch = tools.inputs(3)\n" + SESSION.replace("\n    ", "\n")[4:]
    done = rewritten(tmp_path, "tf-data", {"tools.py": reader, "main.py": main, "show.py": show})
    assert "make_one_shot_iterator" in done["show.py"].new.decode()
    assert {found.code for one in done.values() for found in one.left} == {"QC714"}
    assert "return list(tf.data.make_one_shot_iterator(dataset)" in done["tools.py"].new.decode()


def test_a_named_tuple_is_not_a_list(tmp_path: pathlib.Path) -> None:
    """The function was left: it returns a list, said the reason."""
    made = "import collections\nPair = collections.namedtuple('Pair', ['first', 'count'])\n"
    reader = (
        HEAD
        + made
        + INPUTS.replace(
            "return tf.train.batch([i], n)", "a, b = tf.train.batch([i, i], n)\n    return Pair(a, count=b)"
        )
    )
    main = HEAD + "import threading\nimport tools\n\n" + THREAD.replace("sess.run(batch)", "sess.run(batch.count)")
    done = rewritten(tmp_path, "tf-data", {"tools.py": reader, "main.py": main})
    assert "make_one_shot_iterator(tools.inputs(2)).get_next()" in done["main.py"].new.decode()
    assert [found.code for one in done.values() for found in one.left] == ["QC714"]


def test_a_function_whose_caller_makes_no_session_is_said_to_be_one(tmp_path: pathlib.Path) -> None:
    """It was said to return no batch of its own."""
    feed = (
        HEAD
        + "from sessions import running\n"
        + INPUTS
        + ("\n\ndef batches(n):\n    batch = inputs(n)\n    with running() as sess:\n        yield sess.run(batch)\n")
    )
    [one] = rewritten(tmp_path, "as-dataset", {"feed.py": feed}).values()
    assert "'inputs' is called in 'batches', which creates no session" in one.left[0].what


def test_several_statements_in_the_line_of_a_producer_are_the_reason() -> None:
    """The reason was that a producer is not translated."""
    text = HEAD + INPUTS.replace(PLAIN, "    q = tf.train.range_input_producer(6); i = q.dequeue()\n")
    [found] = TARGETS["tf-data"](source(text)).left
    assert "several statements in this line" in found.what


def test_what_a_comprehension_does_with_the_values_of_a_run_comes_after_it() -> None:
    """It was said to be called before the run."""
    loop = SESSION.replace("print(sess.run(batch))", "print([x.tolist() for x in sess.run([batch, batch])])")
    text = migrated(HEAD + INPUTS + "\n\ndef main():\n    batch = inputs(3)\n" + loop, "as-dataset")
    assert "tf.Session" not in text and "x.tolist() for x in [" in text


def test_no_blank_lines_are_left_where_the_import_for_decorators_was() -> None:
    text = INPUTS.lstrip("\n").replace("    i =", "    import tensorflow as tf\n    i =")
    after = migrated(migrated(text, "as-dataset"), "tf-data")
    assert after.startswith("def inputs")
    after = migrated(migrated('"""Numbers."""\n\n' + text, "as-dataset"), "tf-data")
    assert after.startswith('"""Numbers."""\n\ndef inputs')


PARTS = (
    HEAD
    + "\n\ndef read(names):\n    queue = tf.train.string_input_producer(names)\n"
    + "    _, line = tf.TextLineReader().read(queue)\n    return line\n"
    + "\n\ndef inputs(n):\n    line = read(['a'])\n    return tf.train.batch([line], n)\n"
)
USER = HEAD + "import sources\n\n\ndef main():\n    batch = sources.inputs(2)\n" + SESSION
TESTS = {
    "a mock of the module": "mock.patch.object(sources, '{name}', return_value=1)",
    "a mock by its path": "mock.patch('sources.{name}')",
    "a fixture": "monkeypatch.setattr(sources, '{name}', None)",
    "an assignment": "sources.{name} = None",
}


@pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
def test_functions_that_tests_replace_stay_what_they_are(tmp_path: pathlib.Path, test: str) -> None:
    """A helper was written out where it is called, and the loop of a program went over what a test put there.

    What is decorated returns tensors to a session, as before.
    """
    head = "import sources\nimport main\nfrom unittest import mock\n\n\ndef test(monkeypatch):\n    "
    for to, name, reason in (
        ("tf-data", "read", "'read' may be called in other ways than by its name"),
        ("as-dataset", "inputs", "'test_it.py' replaces 'inputs' at run time"),
    ):
        files = {"sources.py": PARTS, "main.py": USER, "test_it.py": head + test.format(name=name) + "\n"}
        done = rewritten(tmp_path, to, files)
        left = [one.what for file in done.values() for one in file.left]
        assert len(left) == (2 if to == "tf-data" else 1) and all(reason in one for one in left)
        if to == "tf-data":
            assert all(one.is_comment or one.old == one.new for one in done.values())
        else:
            assert b"sess.run(batch)" in done["main.py"].new and done["test_it.py"].old == done["test_it.py"].new
            # Its session and its input function in one file.
            whole = PARTS + USER.partition("sources\n")[2].replace("sources.", "")
            done = rewritten(tmp_path, to, {**files, "sources.py": whole, "main.py": ""})
            assert b"sess.run(batch)" in done["sources.py"].new
        for other in (test.format(name="others"), f"dispatch('{name}')", f"setattr(self, '{name}', 1)"):
            done = rewritten(tmp_path, to, {**files, "test_it.py": head + other + "\n"})
            assert not any(file.left for file in done.values())


READER = (
    "class Reader:\n    def __init__(self, kind=tf.TextLineReader):\n        self.kind = kind\n\n"
    "    def parse(self, queue):\n        _, line = self.kind().read(queue)\n        return [line]\n\n\n"
    "class Whole(Reader):\n    def parse(self, queue):\n        return [tf.WholeFileReader().read(queue)[1]]\n\n\n"
    "def inputs(reader):\n    queue = tf.train.string_input_producer(['a'])\n"
    "    return tf.train.batch(reader.parse(queue), 2)\n"
)
LEFT = "\n\nclass Other:\n    def others(self):\n        return tf.train.batch([self.row], 2)\n"


def test_readers_that_an_input_function_gets_belong_to_it(tmp_path: pathlib.Path) -> None:
    """Of a class that only a decorated function uses, QC743 said to move it into a function."""
    call = USER.replace("inputs(2)", "inputs(sources.Reader())")
    done = rewritten(tmp_path, "as-dataset", {"sources.py": HEAD + READER, "main.py": call})
    assert not any(one.left for one in done.values()) and b"@queuecompat" in done["sources.py"].new
    done = rewritten(tmp_path, "as-dataset", {"sources.py": HEAD + READER + LEFT, "main.py": call})
    assert ["'tf.train.batch' is used in the class 'Other'" in one.what for one in done["sources.py"].left] == [True]


def test_programs_run_by_themselves_whose_input_functions_were_rewritten_beside_what_was_left(
    tmp_path: pathlib.Path,
) -> None:
    """The summary named 'queuecompat run', in which a loop over a dataset fails."""
    call = USER.replace("inputs(2)", "inputs(sources.Reader())")
    done = rewritten(tmp_path, "as-dataset", {"sources.py": HEAD + READER + LEFT, "main.py": call})
    assert done["sources.py"].left and done["sources.py"].runs_alone


# A file that passes on the batches of a different one, and the program that runs them.
PASSING = "import reader\n\n\ndef batches(n):\n    return reader.inputs(n)\n"
PASSED = HEAD + "import passing\n\n\ndef main():\n    batch = passing.batches(2)\n" + SESSION + "\n\nmain()\n"


def test_a_file_that_passes_on_batches_needs_no_name_for_tensorflow(tmp_path: pathlib.Path, server: Server) -> None:
    """It stayed, with all files around it, because 'no loop runs it in a session'."""
    done = rewritten(tmp_path, "as-dataset", {"reader.py": HEAD + INPUTS, "passing.py": PASSING, "train.py": PASSED})
    assert not any(one.left for one in done.values())
    assert b"import queuecompat\nimport reader\n" in done["passing.py"].new
    ran = server.run(["train.py"], str(tmp_path))
    assert ran.out == "[0 1]\n[2 3]\n", ran.err


def test_the_function_that_passes_on_a_batch_is_named(tmp_path: pathlib.Path) -> None:
    """The function that returns it was said to return none of its own."""
    train = PASSED + "server = tf.train.Server.create_local_server()\n"
    done = rewritten(tmp_path, "tf-data", {"reader.py": HEAD + INPUTS, "passing.py": PASSING, "train.py": train})
    [of_reader], [of_passing], [_] = (done[name].left for name in ("reader.py", "passing.py", "train.py"))
    assert "'inputs' is called by functions of other files, which pass its batch on" in of_reader.what
    assert "'reader.inputs' already returns a batch, which this function only passes on" in of_passing.what


def test_a_function_that_is_called_at_the_top_level_alone_is_said_to_be(tmp_path: pathlib.Path) -> None:
    """It was said to be called by functions of other files."""
    done = rewritten(tmp_path, "tf-data", {"reader.py": HEAD + INPUTS + "\n\nprint(inputs(2))\n"})
    [left] = done["reader.py"].left
    assert "'inputs' is called at the top level of the file, where no session that can be rewritten" in left.what


@pytest.mark.parametrize("imports", ["", HEAD])
def test_what_is_collected_below_a_function_that_passes_on_batches_stays(
    imports: str, tmp_path: pathlib.Path, server: Server
) -> None:
    """The collection was empty: what made its member was in the graph of the dataset."""
    reader = HEAD + INPUTS.replace("    return", "    tf.add_to_collection('numbers', i)\n    return")
    train = PASSED.replace("(2)\n", "(2)\n    print(len(tf.get_collection('numbers')))\n")
    files = {"reader.py": reader, "passing.py": imports + PASSING, "train.py": train}
    done = rewritten(tmp_path, "as-dataset", files)
    [found] = done["train.py"].left
    assert found.code == "QC714" and "where 'get_collection' may look for what it creates" in found.what
    ran = server.run(["train.py"], str(tmp_path))
    assert ran.out == "1\n[0 1]\n[2 3]\n", ran.err


TABLE = HEAD + INPUTS + "\n\nTABLE = {'plain': inputs}\n\n\ndef main():\n    batch = %s\n" + SESSION + "\n\nmain()\n"


@pytest.mark.parametrize("called", ["TABLE['plain']", "getattr(sources, 'inputs')"])
def test_a_function_that_is_looked_up_is_named_as_the_reason(called: str) -> None:
    """It was 'no statement here builds a pipeline'."""
    text = TABLE % f"{called}(3)"
    require_left_with_one_comment(text, "tf-data", "QC744", f"'{called}' may build the pipeline, but which")


@pytest.mark.parametrize("called", ["tf.layers.Dense(3)(tf.ones([1, 3]))", "Settings(3)"])
def test_a_layer_or_named_tuple_that_is_called_is_no_function_that_is_looked_up(called: str) -> None:
    settings = "import collections\nSettings = collections.namedtuple('Settings', 'batch_size')\n"
    text = settings + TABLE % called
    require_left_with_one_comment(text, "tf-data", "QC744", "no statement here builds a pipeline")


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_module_that_importlib_imports_is_followed(to: str, tmp_path: pathlib.Path) -> None:
    """The model stayed code of TensorFlow 1, which a program that became eager imports: an AttributeError."""
    imports = "import importlib\n\nnet = importlib.import_module('model')\nplain = importlib.import_module('plain')\n"
    main = HEAD + imports + "\n\ndef main():\n    x = plain.inputs(3)\n    batch = net.twice(x)\n" + SESSION
    model = HEAD + "\n\ndef twice(x):\n    return tf.to_float(x) * tf.get_variable('w', [])\n"
    main = main.replace("        tf.train", "        sess.run(tf.global_variables_initializer())\n        tf.train")
    done = rewritten(tmp_path, to, {"plain.py": HEAD + INPUTS, "model.py": model, "main.py": main})
    assert b"Session" not in done["main.py"].new and b"import tensorflow.compat.v1 as tf" in done["model.py"].new


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_module_is_found_in_a_folder_that_only_sys_path_has(to: str, tmp_path: pathlib.Path) -> None:
    """The input function returned a dataset, and its session ran that: a TypeError."""
    path = "import os\nimport sys\n\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'lib'))\n"
    body = SESSION.replace("    ", "", 1).replace("\n    ", "\n")
    main = f"{HEAD}{path}import reader\n\nbatch = reader.inputs(2)\n{body}"
    files = {"lib/reader.py": HEAD + INPUTS, "scripts/train.py": main}
    done = rewritten(tmp_path, to, files)
    assert "for batch in " in done["train.py"].new.decode() and not done["train.py"].left


@pytest.mark.parametrize(
    ("files", "found"),
    [
        (["lib/reader.py"], "lib/reader.py"),
        (["lib/reader/__init__.py"], "lib/reader/__init__.py"),
        (["app/lib/reader.py", "lib/reader.py"], "app/lib/reader.py"),
        (["app/lib/reader.py", "app/old/reader.py"], ""),
        (["lib/my_reader.py"], ""),
    ],
)
def test_a_module_of_an_unknown_folder_is_the_nearest_one(files: List[str], found: str) -> None:
    one = ModuleFiles([*files, "app/scripts/train.py"]).find("app/scripts/train.py", "reader")
    assert found == (one.file if one else "")


MODULES = "import plain\n\nMODULES = {'plain': plain}\n\n\ndef get(name):\n    return MODULES[name].inputs(3)\n"


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_function_of_a_module_in_a_table_may_be_called(to: str, tmp_path: pathlib.Path) -> None:
    """QC746 said that no file calls it, and the session's reason was that no statement builds a pipeline."""
    main = HEAD + "import modules\n\n\ndef main():\n    batch = modules.get('plain')\n" + SESSION
    done = rewritten(tmp_path, to, {"plain.py": HEAD + INPUTS, "modules.py": MODULES, "main.py": main})
    [found] = done["main.py"].left
    assert "'modules.get' may build the pipeline, but which function it is is known only at run time" in found.what
    assert "QC746" not in [one.code for one in done["plain.py"].left]
    assert (b"@queuecompat.input_pipeline" in done["plain.py"].new) == (to == "as-dataset")
