"""``%load_ext queuecompat``: in IPython where that is installed, and in what its documentation says of a shell."""

from __future__ import annotations

import importlib.util
import pathlib
import textwrap
import warnings
from typing import Callable, Iterator

import pytest

from tests.forking import Ran, Server

# A shell as IPython documents it, as far as an extension of ours needs it. Cells that begin with %% or % are magics.
STAND_IN = """
    import ast, sys, traceback, types

    class Formatter:
        def for_type_by_name(self, module, name, function):
            self.printers = {(module, name): function}

    class Shell:
        def __init__(self):
            self.user_ns, self.magics = {"__name__": "__main__"}, {}
            self.display_formatter = types.SimpleNamespace(formatters={"text/plain": Formatter()})

        def register_magic_function(self, function, magic_kind="line", magic_name=None):
            self.magics[magic_kind, magic_name] = function

        def run_cell(self, cell, store_history=False):
            try:
                if cell.startswith("%load_ext "):
                    __import__(cell.split()[1]).load_ipython_extension(self)
                elif cell.startswith("%%"):
                    name, _, line = cell[2:].partition("\\n")[0].partition(" ")
                    value = self.magics["cell", name](line, cell.partition("\\n")[2])
                    if value is not None:
                        print(value)
                else:
                    *before, last = ast.parse(cell).body
                    exec(compile(ast.Module(before, []), "<cell>", "exec"), self.user_ns)
                    if isinstance(last, ast.Expr):
                        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), self.user_ns)
                        if value is not None:
                            self.show(value)
                    else:
                        exec(compile(ast.Module([last], []), "<cell>", "exec"), self.user_ns)
            except Exception as problem:
                shown = getattr(problem, "_render_traceback_", None)
                print("\\n".join(shown()) if shown else traceback.format_exc())
                return types.SimpleNamespace(success=False)
            return types.SimpleNamespace(success=True)

        def show(self, value):
            printers = self.display_formatter.formatters["text/plain"].printers
            for kind in type(value).__mro__:
                if (kind.__module__, kind.__name__) in printers:
                    printer = types.SimpleNamespace(text=print)
                    return printers[kind.__module__, kind.__name__](value, printer, False)
            print(repr(value))

    shell = Shell()
"""
IPYTHON = """
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.colors = "nocolor"
    shell = InteractiveShell()
"""
HAS_IPYTHON = importlib.util.find_spec("IPython") is not None
NEEDS_IPYTHON = pytest.mark.skipif(not HAS_IPYTHON, reason="IPython is not installed")
SHELLS = [pytest.param(STAND_IN, id="stand-in"), pytest.param(IPYTHON, id="IPython", marks=NEEDS_IPYTHON)]

PIPELINE = """\
import tensorflow as tf

number = tf.train.range_input_producer(100, shuffle=False).dequeue()
batch = tf.train.batch([number], 4)
sess = tf.Session()
threads = tf.train.start_queue_runners(sess, coord=tf.train.Coordinator())
"""

Cells = Callable[..., Ran]


@pytest.fixture(params=SHELLS)
def cells(request: pytest.FixtureRequest, server: Server, tmp_path: pathlib.Path) -> Iterator[Cells]:
    """Runs cells, one after the other, in a new kernel."""

    def run(*texts: str) -> Ran:
        lines = [f"print('cell:', shell.run_cell({text!r}).success)" for text in ("%load_ext queuecompat", *texts)]
        ran = server.run(["-c", "\n".join([textwrap.dedent(request.param), *lines])], str(tmp_path))
        assert ran.exit_code == 0, ran.err
        return ran

    yield run


def test_a_cell_runs_as_a_program_and_its_names_are_the_notebooks(cells: Cells) -> None:
    ran = cells(
        "twice = 2", f"%%queuecompat\n{PIPELINE}\nprint(sess.run(batch) * twice)", "print(sess.run(batch), tf.__name__)"
    )
    assert ran.out.splitlines()[2:] == ["[0 2 4 6]", "cell: True", "[4 5 6 7] queuecompat.v1", "cell: True"], ran.err


def test_an_import_in_another_cell_means_what_it_meant(cells: Cells) -> None:
    ran = cells(
        "%%queuecompat\nimport tensorflow as tf", "import tensorflow as other\nprint(tf.__name__, other.__name__)"
    )
    assert "queuecompat.v1 tensorflow\n" in ran.out


def test_the_value_of_the_last_line_is_shown(cells: Cells) -> None:
    assert "12" in cells("%%queuecompat\nimport tensorflow as tf\ntf.constant([7, 5]).shape[0].value + 10").out


def test_modules_beside_the_notebook_are_the_programs(cells: Cells, tmp_path: pathlib.Path) -> None:
    (tmp_path / "beside.py").write_text("import tensorflow as tf\nproducer = tf.train.range_input_producer\n")
    ran = cells("%%queuecompat\nimport sys\nsys.path.insert(0, '')\nimport beside\nprint(beside.tf.__name__)")
    assert "queuecompat.v1\n" in ran.out, ran.out


def test_an_error_is_shown_once_and_the_cell_has_failed(cells: Cells) -> None:
    ran = cells("%%queuecompat\nimport tensorflow as tf\nraise ValueError('of ' + 'the cell')", "print('goes on')")
    assert ran.out.count("ValueError: of the cell") == 1
    assert "see the error above" in ran.out and "CellFailedError" not in ran.out.replace("CellFailedError:", "")
    assert ran.out.splitlines()[-3:] == ["cell: False", "goes on", "cell: True"]


def test_an_option_holds_for_one_cell(cells: Cells) -> None:
    native = "tf.train.batch([tf.train.range_input_producer(9).dequeue()], 0)"
    strict, loose = f"%%queuecompat --strict\nimport tensorflow as tf\nx = {native}", f"%%queuecompat\nx = {native}"
    ran = cells(strict, loose)
    assert "QC305" in ran.out
    assert [line for line in ran.out.splitlines() if line.startswith("cell:")][1:] == ["cell: False", "cell: True"]


def test_a_report_is_shown_after_the_cell(cells: Cells) -> None:
    ran = cells(
        f"%%queuecompat --report\n{PIPELINE}", "%%queuecompat --report\nx = [sess.run(batch) for _ in range(3)]"
    )
    first, _, second = ran.out.partition("cell: True\n")[2].partition("cell: True")
    assert "'batch': compiled to tf.data" in first and "delivered nothing" in first
    assert "12 examples in 3 batches" in second


@pytest.mark.parametrize(
    ("line", "says"), [("--strickt", "unrecognized"), ("'", "No closing quotation"), ("--help", "--report")]
)
def test_a_line_that_is_wrong_ends_the_cell_alone(cells: Cells, line: str, says: str) -> None:
    ran = cells(f"%%queuecompat {line}\nprint('ran')", "print('goes on')")
    assert says in ran.out and "ran\n" not in ran.out.replace("goes on", "")
    assert "Traceback" not in ran.out and "goes on" in ran.out


def test_a_kernel_that_is_eager_stays_so(cells: Cells) -> None:
    ran = cells(
        "import tensorflow as tf\none = tf.constant(1) + 1",
        "%%queuecompat\nprint('ran')",
        "print(tf.executing_eagerly())",
    )
    assert "QC541" in ran.out and "ran\n" not in ran.out
    assert "True\n" in ran.out.rpartition("QC541")[2]


def test_a_dataset_shows_its_plan(cells: Cells) -> None:
    made = """
        import tensorflow as tf
        import queuecompat

        def numbers():
            return tf.train.batch([tf.train.range_input_producer(10).dequeue()], 5)

        dataset = queuecompat.as_dataset(numbers)
        print(dataset._repr_html_().startswith("<pre"), "produce" in dataset._repr_html_())
        dataset
    """
    ran = cells(textwrap.dedent(made), "dataset.take(1)")
    assert "True True\n" in ran.out
    assert "dataset: compiled to tf.data" in ran.out and "batch     of 5" in ran.out
    assert "TakeDataset" in ran.out  # no longer ours


def test_the_progress_bar_does_not_warn_in_a_notebook_without_ipywidgets(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    import queuecompat.loader.metrics.progress as progress

    for name in [name for name in sys.modules if name.split(".")[0] == "tqdm"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # cannot be imported
    kernel = type(sys)("IPython")
    kernel.get_ipython = lambda: type("Shell", (), {"config": {"IPKernelApp": {}}})  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        spec = importlib.util.spec_from_file_location("fresh_progress", progress.__file__)
        assert spec is not None and spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert not [one for one in warned if "IProgress" in str(one.message)]
