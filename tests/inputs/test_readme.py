"""README's first program of TensorFlow 2, with the input file that it names."""

from __future__ import annotations

import pathlib
import re
import shutil

from tests.forking import Server
from tests.inputs import data
from tests.inputs.catalogue import FILES

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_the_first_example_trains_keras_on_a_function_of_2017(server: Server, tmp_path: pathlib.Path) -> None:
    section = README.read_text(encoding="utf-8").partition("## In TensorFlow 2\n")[2]
    found = re.search("```python\n(.*?)```", section, re.DOTALL)
    assert found is not None and "cifar10_input.py:distorted_inputs" in found[1]
    data.write_all(str(tmp_path / "data"))
    shutil.copy(pathlib.Path(FILES) / "cifar10_input.py", tmp_path)
    program = found[1] + "print(len(model.history.history['loss']), 'epochs')\n"
    done = server.run(["-c", program], str(tmp_path))
    assert done.out.endswith("2 epochs\n"), done.err
