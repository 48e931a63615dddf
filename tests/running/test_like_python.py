"""A program under ``queuecompat run`` sees and says what it does under ``python``: output, errors, exit codes."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
import sys
import textwrap
from typing import Dict, List, Optional

import pytest

import queuecompat

ROOT = str(pathlib.Path(queuecompat.__file__).parents[1])

PROGRAMS: Dict[str, str] = {
    "what_it_sees_of_its_start": """
        import sys, os
        print(__name__, __file__, __package__, __spec__, __doc__, sys.argv, sys.path[0])
        print(sys.modules["__main__"].__dict__ is globals())
    """,
    "an_error": """
        def deeper(number):
            return 1 / number

        def deep():
            deeper(0)

        deep()
    """,
    "an_error_from_an_error": """
        try:
            {}["missing"]
        except KeyError as problem:
            raise ValueError("second") from problem
    """,
    "an_error_while_another_is_handled": """
        try:
            {}["missing"]
        except KeyError:
            import this_module_does_not_exist
    """,
    "an_error_in_a_module_of_its_own": """
        import beside
        beside.fails()
    """,
    "an_error_while_a_module_is_imported": """
        import beside_and_broken
    """,
    "a_line_that_is_no_python": """
        print(1)
        x = = 2
    """,
    "a_module_that_is_no_python": """
        import no_python
    """,
    "a_message_on_leaving": """
        import sys
        sys.exit("that is all")
    """,
    "a_number_on_leaving": """
        raise SystemExit(7)
    """,
    "nothing_on_leaving": """
        raise SystemExit
    """,
    "an_interrupt": """
        raise KeyboardInterrupt
    """,
    "a_signal": """
        import os, signal
        os.kill(os.getpid(), signal.SIGTERM)
    """,
    "a_hook_of_its_own": """
        import sys
        sys.excepthook = lambda kind, problem, traceback: print("hook:", kind.__name__, problem, traceback.tb_lineno)
        raise ValueError("mine")
    """,
    "what_still_runs_when_the_last_line_has_run": """
        import atexit, pickle, threading

        class Thing:
            pass

        def later():
            threading.main_thread().join()
            print("thread", type(pickle.loads(pickle.dumps(Thing()))).__module__)

        atexit.register(lambda: print("exit", Thing.__module__))
        threading.Thread(target=later).start()
        print("last line")
    """,
    "source_of_its_own": """
        import inspect
        def function():
            return 'text'
        print(inspect.getsource(function))
    """,
    "builtins_of_its_own": """
        import builtins
        from unittest import mock
        builtins.profile = lambda function: function
        __builtins__.xrange = range

        @profile
        def function():
            import beside
            return list(xrange(2)), beside.double(1)

        with mock.patch("builtins.open", len):
            print(function(), open("four"))
        print(type(open("absent.py", "w")).__name__, type(__builtins__).__name__)
    """,
    "an_encoding_of_its_own": """
        # -*- coding: latin-1 -*-
        print(ascii("\xe9"))
    """,
    "workers_of_its_own": """
        import multiprocessing

        def double(number):
            return 2 * number

        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(double, range(3)))
    """,
    "workers_that_are_started_anew": """
        import multiprocessing, sys, threading
        import beside

        class Thing:
            def __init__(self, number):
                self.number = number

        def double(thing):
            return beside.twice(thing.number), Thing.__module__, __name__, sys.argv, threading.current_thread().name

        def fails(thing):
            raise ValueError(thing.number)

        if __name__ == "__main__":
            print(sorted(multiprocessing.get_all_start_methods()))
            for method in ("spawn", "forkserver"):
                with multiprocessing.get_context(method).Pool(1) as pool:
                    print(pool.map(double, [Thing(1), Thing(2)]))
                process = multiprocessing.get_context(method).Process(target=fails, args=[Thing(3)])
                process.start()
                process.join()
                print(process.exitcode)
    """,
    "a_worker_that_fails_in_the_programs_own_lines": """
        import multiprocessing
        if __name__ == "__main__":
            multiprocessing.set_start_method("spawn")
            process = multiprocessing.Process(target=print)
            process.start()
            process.join()
            print(process.exitcode)
        else:
            1 / 0
    """,
}

BESIDE = {
    "beside.py": "def fails():\n    raise RuntimeError('beside')\ndef double(x):\n    return profile(x), x\n"
    "def twice(x):\n    return 2 * x\n",
    "beside_and_broken.py": "import json\njson.loads('{')\n",
    "no_python.py": "def (:\n",
    "package/__init__.py": "",
    "package/__main__.py": "from . import inner\nimport sys\n"
    "print(__name__, __package__, __spec__.name, inner.NAME, sys.argv[1:], sys.path[0])\n",
    "package/inner.py": "NAME = __name__\n",
    "package/single.py": "import sys\nfrom .inner import NAME\n"
    "print(__name__, __package__, __spec__.name, NAME, sys.argv[1:])\n",
}


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, text in BESIDE.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(arguments: List[str], folder: pathlib.Path, ours: bool, **more: str) -> subprocess.CompletedProcess:
    starter = ["-m", "queuecompat", "run"] if ours else []
    environment = {**os.environ, "PYTHONPATH": ROOT, "PYTHONDONTWRITEBYTECODE": "1", **more}
    environment.pop("PYTHONUTF8", None)
    return subprocess.run(
        [sys.executable, *starter, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def same(arguments: List[str], folder: pathlib.Path) -> subprocess.CompletedProcess:
    expected, given = (run(arguments, folder, ours) for ours in (False, True))
    assert given.stdout == expected.stdout
    assert _comparable(given.stderr) == _comparable(expected.stderr)
    assert given.returncode == expected.returncode
    return given


def _comparable(message: str) -> str:
    """*message* without what the command line of a new process differs in: a line in front, and numbers of pipes."""
    message = re.sub(r'"<string>", line [12](?=, in <module>\n.*multiprocessing)', '"<string>", line N', message)
    return re.sub(r"(tracker_fd|pipe_handle)=\d+", r"\1=N", message)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_a_script_is_run_as_python_runs_it(name: str, folder: pathlib.Path) -> None:
    script = folder / f"{name}.py"
    script.write_bytes(textwrap.dedent(PROGRAMS[name]).lstrip().encode("latin-1"))
    done = same([f"{name}.py", "--flag", "-m", "value"], folder)
    assert done.stdout or done.stderr or done.returncode or name == "nothing_on_leaving"


def test_signals_and_interrupts_are_seen_from_outside(folder: pathlib.Path) -> None:
    for name, code in (("an_interrupt", signal.SIGINT), ("a_signal", signal.SIGTERM)):
        (folder / "script.py").write_text(textwrap.dedent(PROGRAMS[name]), encoding="utf-8")
        assert run(["script.py"], folder, ours=True).returncode == -code


@pytest.mark.parametrize("name", ["package", "package.single", "package.absent", "absent"])
def test_a_module_is_run_as_python_runs_it(name: str, folder: pathlib.Path) -> None:
    expected, given = (run(["-m", name, "--flag", "x"], folder, ours) for ours in (False, True))
    assert (given.stdout, given.returncode) == (expected.stdout, expected.returncode)
    assert bool(given.stderr) == bool(expected.stderr)


@pytest.mark.parametrize("text", ["import this_module_does_not_exist", "1 / 0", "raise SystemExit(3)"])
def test_an_error_in_a_package_of_the_module_is_printed_as_python_prints_it(text: str, folder: pathlib.Path) -> None:
    (folder / "package" / "__init__.py").write_text(f"{text}\n", encoding="utf-8")
    expected, given = (run(["-m", "package.single"], folder, ours) for ours in (False, True))
    first, place, rest = expected.stderr.partition(f'  File "{folder}')  # behind the frames of Python's own runpy
    assert (given.stderr, given.returncode) == (first.partition("  File")[0] + place + rest, expected.returncode)


def test_a_folder_is_run_as_python_runs_it(folder: pathlib.Path) -> None:
    (folder / "package" / "__main__.py").write_text(
        "import inner, os, sys; print(__name__, os.path.abspath(__file__), inner.NAME, sys.argv,"
        "os.path.abspath(sys.path[0]))",
        encoding="utf-8",
    )
    expected, given = (run(["package", "x"], folder, ours).stdout for ours in (False, True))
    assert given == expected


def test_a_string_is_run_as_python_runs_it(folder: pathlib.Path) -> None:
    same(["-c", "import sys, beside; print(__name__, sys.argv, repr(sys.path[0])); beside.fails()", "--flag"], folder)


def test_a_script_that_is_not_there_is_named(folder: pathlib.Path) -> None:
    done = run(["absent.py"], folder, ours=True)
    assert "absent.py': no such file" in done.stderr
    assert done.returncode == run(["absent.py"], folder, ours=False).returncode


def test_options_come_before_the_script_and_arguments_after_it(folder: pathlib.Path) -> None:
    (folder / "script.py").write_text("import sys; print(sys.argv)", encoding="utf-8")
    done = run(["--strict", "--tree", ".", "script.py", "--strict", "--report", "-c", "x"], folder, ours=True)
    assert done.stdout.strip() == "['script.py', '--strict', '--report', '-c', 'x']", done.stderr


@pytest.mark.parametrize("arguments", [[], ["--strict"], ["--unknown", "script.py"]])
def test_a_wrong_command_line_prints_the_usage(arguments: List[str], folder: pathlib.Path) -> None:
    done = run(arguments, folder, ours=True)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: python -m queuecompat")


def test_a_program_without_tensorflow_does_not_load_it(folder: pathlib.Path) -> None:
    (folder / "script.py").write_text("import sys; print('tensorflow' in sys.modules)", encoding="utf-8")
    assert run(["script.py"], folder, ours=True).stdout.strip() == "False"


def _python2(line: str, folder: pathlib.Path, beside: Optional[str] = None) -> subprocess.CompletedProcess:
    (folder / "old.py").write_text("import os\n" + line + "\n", encoding="utf-8")
    (folder / "imports_it.py").write_text("import old\n", encoding="utf-8")
    return run([beside or "old.py"], folder, ours=True)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('print "hello"', "a print statement"),
        ("print", None),
        ("print x, y", "a print statement"),
        ("if True: print 'x'", "a print statement"),
        ('exec "x = 1"', "an exec statement"),
        ("try: pass\nexcept ValueError, e: pass", "'except Error, name:'"),
        ('raise ValueError, "message"', "'raise Error, message'"),
        ("x = 1 <> 2", "the operator '<>'"),
        ("x = `1`", "backquotes"),
        ("os.chmod('x', 0777)", "an octal number"),
        ("x = 10L", "a long integer"),
        ("x = ur'text'", "a ur'' string"),
        ("def f(a, (b, c)): pass", "a tuple among the parameters of a function"),
        ("f = lambda (a, b): a", "a tuple among the parameters of a lambda"),
        ("if True:\n        x = 1\n\ty = 2", "tabs and spaces"),
        ("for i in xrange(3): pass", "the name 'xrange'"),
        ("import cPickle", "the module 'cPickle'"),
        ("{}.iteritems()", "the method 'iteritems' of a dict"),
        ("x = = 1", None),
        ("undefined_name", None),
        ("import absent_module", None),
        ("{}.absent()", None),
    ],
)
def test_a_python_2_program_gets_one_message_instead_of_a_traceback(
    line: str, what: Optional[str], folder: pathlib.Path
) -> None:
    for start in ("old.py", "imports_it.py"):
        done = _python2(line, folder, start)
        if what is None:
            assert "QC401" not in done.stderr
            continue
        assert done.returncode == 1
        assert done.stderr.startswith("QC401 ")
        assert what in done.stderr.splitlines()[0]
        assert "old.py:" in done.stderr.splitlines()[0]
        # Tabs were to be converted by fissix, too, which leaves them.
        assert ("expand -i -t 8 " if "tabs" in what else "fissix --write ") in done.stderr
        assert "Traceback" not in done.stderr
