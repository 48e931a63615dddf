"""Notebooks: what is no Python in them stays out of the way, and all that is not rewritten keeps its bytes."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Dict, List

import pytest

from queuecompat.migrate.check.checking import check
from queuecompat.migrate.rewrite.migrating import migrate
from queuecompat.migrate.source.notebooks import BordersError, Notebook

OLD = ["import tensorflow as tf\n", "%matplotlib inline\n", "x = !ls\n", "tf.train.batch?"]
CELLS: List[Dict[str, Any]] = [
    {"cell_type": "markdown", "metadata": {}, "source": ["import tensorflow as tf\n", "# caf\u00e9"]},
    {
        "cell_type": "code",
        "execution_count": 3,
        "metadata": {"a": [{}]},
        "outputs": [{"text": ["}]\n"]}],
        "source": OLD,
    },
    {"cell_type": "code", "metadata": {}, "source": "%%bash\nimport tensorflow as tf\n", "outputs": []},
    {"cell_type": "code", "metadata": {}, "source": [], "outputs": []},
    {"source": ["def f(x):\n", "    %time\n", "    return tf.train.batch([x], 8)\n"], "cell_type": "code"},
]
NOTEBOOK = {"cells": CELLS, "metadata": {"kernelspec": {"name": "python3"}}, "nbformat": 4, "nbformat_minor": 5}
FORMS = {
    "of Jupyter": json.dumps(NOTEBOOK, indent=1, ensure_ascii=False) + "\n",
    "of Colab": json.dumps(NOTEBOOK, indent=2, ensure_ascii=True),
    "in one line": json.dumps(NOTEBOOK),
    "without a space": json.dumps(NOTEBOOK, separators=(",", ":")),
    "with tabs": "\n" + json.dumps(NOTEBOOK, indent="\t").replace("\n", "\r\n"),
}


def written(folder: pathlib.Path, text: str) -> pathlib.Path:
    path = folder / "train.ipynb"
    path.write_bytes(text.encode())
    return path


def of_cells(*sources: Any) -> str:
    cells = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": one} for one in sources]
    return json.dumps({**NOTEBOOK, "cells": cells}, indent=1)


@pytest.mark.parametrize("form", list(FORMS))
def test_only_the_bytes_of_what_is_rewritten_change(form: str, tmp_path: pathlib.Path) -> None:
    text = FORMS[form]
    [one] = migrate([str(written(tmp_path, text))], "v1")
    before, after = '["import tensorflow as tf', '["import queuecompat.v1 as tf'
    code_cell = text.index('"execution_count"')
    place = text.index("import tensorflow as tf", code_cell)
    expected = text[:place] + text[place:].replace("import tensorflow", "import queuecompat.v1", 1)
    assert before.strip("[") in text and after.strip("[") in expected
    assert one.new.decode() == expected
    assert one.unread == []


def test_lines_of_a_changed_cell_keep_their_escapes(tmp_path: pathlib.Path) -> None:
    """Some writers escape more than JSON asks for."""
    text = of_cells(["import tensorflow as tf\n", "a = 1 < 2\n", "tf.Session\n"]).replace("<", "\\u003c")
    [one] = migrate([str(written(tmp_path, text))], "v1")
    assert one.new.decode() == text.replace("import tensorflow", "import queuecompat.v1")


def test_findings_are_at_their_lines_in_the_file_and_say_the_cell(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path, FORMS["of Jupyter"])
    checked = check([str(path)])
    [one] = checked.findings
    assert one.code == "QC701" and one.where == "cell 5, line 3"
    assert "tf.train.batch([x], 8)" in path.read_text(encoding="utf-8").splitlines()[one.line - 1]
    assert checked.exit_code == 1


def test_a_cell_that_does_not_parse_is_reported_and_the_others_are_read(tmp_path: pathlib.Path) -> None:
    text = of_cells(["import tensorflow as tf\n"], ["x = 1\n", "print 'x'\n"], ["tf.train.batch([x], 8)"])
    path = written(tmp_path, text)
    checked = check([str(path)])
    assert [one.code for one in checked.findings] == ["QC701"]
    assert [(one.code, one.where) for one in checked.unread] == [("QC731", "cell 2, line 2")]
    [one] = migrate([str(path)], "v1")
    assert one.new.decode() == text.replace("import tensorflow", "import queuecompat.v1")


def test_a_text_of_several_lines_that_looks_like_a_magic_is_a_text() -> None:
    text = of_cells(['x = """\n', "%time\n", "!ls\n", '"""\n'])
    assert Notebook("n.ipynb", text).source.count("pass") == 0


@pytest.mark.parametrize(
    "cell",
    [
        "%cd data\nprint('%d'\n    % len(x))\ny = len(x) \\\n    % 3\nz = (y\n    != 3)\n",
        "!pip install numpy \\\n    six \\\n    tqdm\nx = 1\n",
        "if x:\n    !ls \\\n  data\n    y = 2  # \\\n    !ls\n",
        "names = !ls \\\n  data\n",
        '%time y = 3\nx = """\n%time z\n!ls\n"""\n!ls\n',
    ],
)
def test_lines_that_go_on_are_a_part_of_what_they_begin_with(cell: str, tmp_path: pathlib.Path) -> None:
    """A line of Python that begins with ``%`` was taken for a magic, and the second line of a magic for Python."""
    text = of_cells("import tensorflow as tf\n", cell, "tf.train.batch([x], 2)\n")
    notebook = Notebook("n.ipynb", text)
    assert notebook.problems == [] and notebook.with_source(notebook.source) == text
    [one] = check([str(written(tmp_path, text))]).findings
    assert one.where == "cell 3, line 1"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"cells": 3}', '{"cells": [{"cell_type": "code"}]}', '{"nbformat": 3}']
)
def test_what_is_no_notebook_is_reported_and_kept(text: str, tmp_path: pathlib.Path) -> None:
    path = written(tmp_path, text)
    assert [one.code for one in check([str(path)]).unread] == ["QC733"]
    [one] = migrate([str(path)], "v1")
    assert one.new == one.old and [found.code for found in one.unread] == ["QC733"]


def test_what_goes_out_comes_back() -> None:
    for text in FORMS.values():
        notebook = Notebook("n.ipynb", text)
        assert notebook.with_source(notebook.source) == text


CLASSIC = (
    "import tensorflow as tf\n",
    "def inputs():\n    return tf.train.batch([tf.train.range_input_producer(9).dequeue()], 3)\n",
    "batch = inputs()\n",
    "sess = tf.Session()\nthreads = tf.train.start_queue_runners(sess)\n"
    "for _ in range(2):\n    print(_)\n    value = sess.run(batch)\n",
)


def cells_of(content: bytes) -> List[str]:
    return ["".join(cell["source"]) for cell in json.loads(content)["cells"]]


def test_a_loop_in_a_cell_of_its_own_keeps_its_session(tmp_path: pathlib.Path) -> None:
    """The pipeline is called in one cell and run in another: no loop can be in both."""
    path = written(tmp_path, of_cells(*CLASSIC))
    [one] = migrate([str(path)], "as-dataset")
    top, function, *others = cells_of(one.new)
    assert top == "import queuecompat\nimport queuecompat.v1 as tf\n"
    assert function == f"@queuecompat.input_pipeline\n{CLASSIC[1]}" and others == list(CLASSIC[2:])
    [found] = one.left
    assert found.code == "QC714" and "from one cell of this notebook to another" in found.what
    path.write_bytes(one.new)
    [again] = migrate([str(path)], "as-dataset")
    assert again.new == one.new


def test_a_loop_does_not_take_the_pipeline_out_of_its_cell(tmp_path: pathlib.Path) -> None:
    """It did where no comment stood in the way, and left an empty cell."""
    model = "batch = inputs()\ntotal = tf.reduce_sum(batch)"
    loop = (
        "with tf.Session() as sess:\n"
        "    threads = tf.train.start_queue_runners(sess)\n"
        "    try:\n"
        "        while True:\n"
        "            print(sess.run(total))\n"
        "    except tf.errors.OutOfRangeError:\n"
        "        print('done')"
    )
    path = written(tmp_path, of_cells(*CLASSIC[:2], model, loop))
    [one] = migrate([str(path)], "as-dataset")
    assert cells_of(one.new)[2:] == [model, loop]


def test_a_notebook_that_cannot_be_rewritten_stays(tmp_path: pathlib.Path) -> None:
    """The pipeline itself is in two cells."""
    pipeline = "i = tf.train.range_input_producer(9).dequeue()\n", "batch = tf.train.batch([i], 3)\n"
    path = written(tmp_path, of_cells(CLASSIC[0], *pipeline, CLASSIC[3]))
    [one] = migrate([str(path)], "as-dataset")
    assert one.new == one.old and [found.code for found in one.left] == ["QC745"]


def test_a_function_of_a_file_that_such_a_notebook_calls_serves_its_session(tmp_path: pathlib.Path) -> None:
    """The notebook stayed, and its call got a dataset."""
    (tmp_path / "lib.py").write_text(CLASSIC[0] + CLASSIC[1])
    written(tmp_path, of_cells(CLASSIC[0], "from lib import inputs", *CLASSIC[2:]))
    [library] = [one for one in migrate([str(tmp_path)], "tf-data") if one.path.suffix == ".py"]
    [notebook] = [one for one in migrate([str(tmp_path)], "tf-data") if one.path.suffix != ".py"]
    assert b"tf.train" not in library.new
    assert "make_one_shot_iterator(inputs()).get_next()" in cells_of(notebook.new)[2]


def test_a_cell_of_nothing_but_sessions_says_so(tmp_path: pathlib.Path) -> None:
    """It was left empty."""
    threads, loop = CLASSIC[3].split("for", 1)
    path = written(tmp_path, of_cells(*CLASSIC[:2], threads, f"{CLASSIC[2]}for{loop}"))
    [one] = migrate([str(path)], "as-dataset")
    assert cells_of(one.new)[2] == "# Nothing is left of this cell: a dataset needs no session and no threads."
    assert one.left == []


def test_a_comment_that_marks_a_place_stands_in_its_cell(tmp_path: pathlib.Path) -> None:
    pipeline = "batch = tf.train.batch([tf.train.range_input_producer(9).dequeue()], 3)\n"
    cells = "%time\n" + CLASSIC[0], pipeline + CLASSIC[3] + "    print(batch)\n"
    path = written(tmp_path, of_cells(*cells))
    [one] = migrate([str(path)], "as-dataset")
    first, second = [cell["source"] for cell in json.loads(one.new)["cells"]]
    [left] = one.left
    assert left.where == "cell 2, line 7" and first == cells[0]
    lines = second.splitlines(keepends=True)
    [mark] = [line for line in lines if line.lstrip().startswith("# queuecompat: QC743 ")]
    lines.remove(mark)
    assert "".join(lines) == cells[1]
    path.write_bytes(one.new)
    [again] = migrate([str(path)], "as-dataset")
    assert again.new == one.new


def test_a_function_in_a_cell_of_its_own_is_decorated(tmp_path: pathlib.Path) -> None:
    path = written(tmp_path, of_cells(*CLASSIC[:2]))
    [one] = migrate([str(path)], "as-dataset")
    sources = [cell["source"] for cell in json.loads(one.new)["cells"]]
    assert sources == [
        "import queuecompat\nimport tensorflow.compat.v1 as tf\n",
        "@queuecompat.input_pipeline\n" + CLASSIC[1],
    ]


def test_a_new_function_brings_no_blank_line_into_the_cell_before(tmp_path: pathlib.Path) -> None:
    head, loop = "import tensorflow as tf\n!ls\n", CLASSIC[3].replace("    print(_)\n", "")
    lines = f"number = tf.train.range_input_producer(9).dequeue()\nbatch = tf.train.batch([number], 3)\n{loop}"
    path = written(tmp_path, of_cells(head, "%%bash\nls\n", lines))
    [one] = migrate([str(path)], "as-dataset")
    first, _, last = [cell["source"] for cell in json.loads(one.new)["cells"]]
    assert first == head.replace("import tensorflow", "import queuecompat\nimport tensorflow.compat.v1")
    assert last.startswith("@queuecompat.input_pipeline\ndef ") and last.endswith("batch)\n")


def test_a_rewrite_that_moves_code_from_cell_to_cell_is_refused() -> None:
    notebook = Notebook("n.ipynb", of_cells(["a = 1"], ["b = 2"]))
    lines = notebook.source.splitlines(keepends=True)
    with pytest.raises(BordersError, match="from one cell to another"):
        notebook.with_source("".join(lines[:2] + lines[3:]))


MAGICS = (
    "import tensorflow as tf\n",
    "%%time\ndef inputs():\n    return tf.train.batch([tf.train.range_input_producer(9).dequeue()], 3)\n",
    "%%capture output\n!ls\nbatch = inputs()\nsess = tf.Session()\nthreads = tf.train.start_queue_runners(sess)\n"
    "%time a = sess.run(batch)\n%cd data\nprint(a)\n",
)


def test_statements_of_line_magics_and_cells_of_magics_are_rewritten_and_keep_their_magics(
    tmp_path: pathlib.Path,
) -> None:
    path = written(tmp_path, of_cells(*MAGICS))
    [one] = migrate([str(path)], "as-dataset")
    sources = [cell["source"] for cell in json.loads(one.new)["cells"]]
    assert sources[1] == MAGICS[1].replace("def ", "@queuecompat.input_pipeline\ndef ")
    assert sources[2] == (
        "%%capture output\n!ls\nbatches = iter(inputs())\nbatch = batches.get_next()\n"
        "%time a = tf.nest.map_structure(lambda tensor: tensor.numpy(), batch)\n%cd data\nprint(a)\n"
    )
    path.write_bytes(one.new)
    [again] = migrate([str(path)], "as-dataset")
    assert again.new == one.new


@pytest.mark.parametrize(
    "cell",
    [
        "%%timeit -n 3\ntf.train.batch([x], 2)\n",
        "%time y = tf.train.batch([x], 2)",
        "    %timeit -n 1 tf.train.batch([x], 2)",
    ],
)
def test_what_a_magic_runs_is_found(cell: str, tmp_path: pathlib.Path) -> None:
    if cell.startswith(" "):
        cell = "for x in y:\n" + cell
    text = of_cells("import tensorflow as tf\n", cell)
    [one] = check([str(written(tmp_path, text))]).findings
    assert one.code == "QC701" and one.where.startswith("cell 2")
    notebook = Notebook("n.ipynb", text)
    assert notebook.with_source(notebook.source) == text


def test_the_magic_of_a_cell_stays_its_first_line() -> None:
    notebook = Notebook("n.ipynb", of_cells("%%time\na = 1\n"))
    with pytest.raises(BordersError):
        notebook.with_source(notebook.source.replace("# queuecompat keeps", "b = 2\n# queuecompat keeps"))
