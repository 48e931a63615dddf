"""Sessions under ``if __name__ == "__main__":`` are rewritten in a function, if no other code sees their names."""

from __future__ import annotations

import pytest

from queuecompat.migrate.rewrite.main_function import with_main_function
from queuecompat.migrate.rewrite.together import rewritten_together
from queuecompat.migrate.source.parsing import parsed
from tests.migrate.sources import migrated_as_program, source

TEXT = """\
import tensorflow as tf


def inputs(files):
    queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
    _, line = tf.TextLineReader().read(queue)
    return tf.string_to_number(line)


# Prints all numbers.
if __name__ == "__main__":  # not when imported
    number = inputs(["a.txt"])
    batch = tf.train.batch([number], 2)

    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        tf.train.start_queue_runners(sess)
        try:
            while True:
                print(sess.run(batch))
        except tf.errors.OutOfRangeError:
            pass
    # The end.
"""


def moved(text: str) -> str:
    """*text* with a function in place of the statements; "" if they stay."""
    found = with_main_function(source(text))
    return "" if found is None else found.text


def test_the_statements_become_a_function_that_is_called_in_their_place() -> None:
    begin, end = TEXT.split('if __name__ == "__main__":  # not when imported\n')
    assert moved(TEXT) == f'{begin}def main():  # not when imported\n{end}\n\nif __name__ == "__main__":\n    main()\n'


@pytest.mark.parametrize("test", ["'__main__' == __name__", "(__name__ == '__main__')"])
def test_the_condition_may_be_written_in_other_ways(test: str) -> None:
    assert moved(TEXT.replace('__name__ == "__main__"', test))


def test_a_name_that_is_taken_is_left_to_its_owner() -> None:
    assert "\ndef run():" in moved(TEXT + "\n\ndef main():\n    pass\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It is no such block, or not all of it.
        ('__name__ == "__main__"', '__name__ != "__main__"'),
        ('__name__ == "__main__"', '__name__ == "__main__" and inputs'),
        ("    # The end.\n", "else:\n    print('imported')\n"),
        # Other code of the file sees the names.
        ("    return tf.string", "    print(batch)\n    return tf.string"),
        ("    return tf.string", "    global batch\n    batch = 2\n    return tf.string"),
        ("    return tf.string", "    print(globals())\n    return tf.string"),
        ("    return tf.string", "    print(dir())\n    return tf.string"),
        ("    # The end.\n", "print(batch)\n"),
        ("# Prints", "batch = None\n# Prints"),
        # In a function the statements mean something else.
        ("    number = inputs(", "    inputs = tf.function(inputs)\n    number = inputs("),
        ("    number = inputs(", "    list = list(range(2))\n    number = inputs("),
        ("    number = inputs(", "    class Reader(object):\n        pass\n    number = inputs("),
        ("    number = inputs(", "    def reader():\n        pass\n    number = inputs("),
        ("    number = inputs(", "    from os.path import *\n    number = inputs("),
    ],
)
def test_statements_stay_that_would_not_mean_the_same(old: str, new: str) -> None:
    changed = TEXT.replace(old, new)
    assert changed != TEXT
    assert moved(changed) == ""


def test_functions_may_have_variables_of_the_same_names() -> None:
    assert moved(TEXT.replace("    return tf.string", "    batch = vars(queue)\n    return tf.string"))


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
def test_a_file_without_functions_for_its_session_is_rewritten(to: str) -> None:
    """The pipeline was left: 'the pipeline is built inside a block'."""
    new = migrated_as_program(TEXT, to)
    assert "Session" not in new and new.endswith('\n\n\nif __name__ == "__main__":\n    main()\n')
    assert new.count("# The end.") == new.count("# Prints all numbers.") == 1


def test_statements_without_a_session_stay() -> None:
    assert moved(TEXT.partition("    with tf.Session")[0] + "    print(batch)\n") == ""


def test_a_session_that_is_kept_is_in_the_function_and_takes_batches_of_a_dataset() -> None:
    """The whole file was left."""
    new = migrated_as_program(TEXT.replace("sess.run(batch))", "sess.run(batch), sess.graph)"), "as-dataset")
    assert "@queuecompat.input_pipeline\ndef input_pipeline():\n" in new
    assert "\ndef main():  # not when imported\n    batch = input_pipeline()\n" in new


def test_statements_whose_names_others_see_stay_with_a_comment() -> None:
    new = migrated_as_program(
        TEXT.replace("    return tf.string", "    print(batch)\n    return tf.string"), "as-dataset"
    )
    assert "def main" not in new and "QC743 the pipeline is built inside a block" in new


@pytest.mark.parametrize("to", ["as-dataset", "tf-data"])
@pytest.mark.parametrize("shared", [False, True])
def test_each_of_several_programs_gets_a_function(to: str, shared: bool) -> None:
    """Only the first of them got one; the second run changed the next."""
    reader = TEXT.partition("# Prints")[0].replace(
        "return tf.string_to_number(line)", "return tf.train.batch([line], 2)"
    )
    text = TEXT
    if shared:
        main = TEXT.partition("# Prints")[2].replace("number = ", "batch = ")
        text = f"import tensorflow as tf\nfrom reader import inputs\n\n\n# Prints{main}"
        text = text.replace("    batch = tf.train.batch([number], 2)\n", "")
    files = [parsed(name, text) for name in ("train.py", "eval.py")] + [parsed("reader.py", reader)] * shared
    results = rewritten_together(files, to)
    assert all("Session" not in one.text for one in results.values())
    assert all("def main():" in results[one].text for one in files[:2])
