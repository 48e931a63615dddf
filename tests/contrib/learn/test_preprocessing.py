"""Words, bytes and categories as numbers: what TensorFlow 1.15.5 makes of them, and the files that it wrote."""

from __future__ import annotations

import base64
import os
import pathlib
import pickle
from typing import Any, Callable

import numpy as np
import pytest
import tensorflow as tf

from queuecompat.contrib import learn
from queuecompat.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

preprocessing = learn.preprocessing
TEXTS = [
    "The TFRecord isn't a QueueRunner - it's re-used, the_end 42 times",
    "",
    "the the the cat CamelCaseWord URLs",
    "naïve café ÜBER",
    "a b a b c",
]
# VocabularyProcessor(3).fit(["to be", "or not to be"]), as TensorFlow 1.15.5 saves it.
SAVED = base64.b64decode(
    "gANjdGVuc29yZmxvdy5jb250cmliLmxlYXJuLnB5dGhvbi5sZWFybi5wcmVwcm9jZXNzaW5nLnRleHQKVm9jYWJ1bGFyeVByb2Nlc3NvcgpxACmB"
    "cQF9cQIoWBMAAABtYXhfZG9jdW1lbnRfbGVuZ3RocQNLA1gNAAAAbWluX2ZyZXF1ZW5jeXEESwBYCwAAAHZvY2FidWxhcnlfcQVjdGVuc29yZmxv"
    "dy5jb250cmliLmxlYXJuLnB5dGhvbi5sZWFybi5wcmVwcm9jZXNzaW5nLmNhdGVnb3JpY2FsX3ZvY2FidWxhcnkKQ2F0ZWdvcmljYWxWb2NhYnVs"
    "YXJ5CnEGKYFxB31xCChYDgAAAF91bmtub3duX3Rva2VucQlYBQAAADxVTks+cQpYCAAAAF9tYXBwaW5ncQt9cQwoaApLAFgCAAAAdG9xDUsBWAIA"
    "AABiZXEOSwJYAgAAAG9ycQ9LA1gDAAAAbm90cRBLBHVYEAAAAF9zdXBwb3J0X3JldmVyc2VxEYhYEAAAAF9yZXZlcnNlX21hcHBpbmdxEl1xEyho"
    "CmgNaA5oD2gQZVgFAAAAX2ZyZXFxFGNjb2xsZWN0aW9ucwpkZWZhdWx0ZGljdApxFWNidWlsdGlucwppbnQKcRaFcRdScRgoaA1LAmgOSwJoD0sB"
    "aBBLAXVYBwAAAF9mcmVlemVxGYh1YlgKAAAAX3Rva2VuaXplcnEaY3RlbnNvcmZsb3cuY29udHJpYi5sZWFybi5weXRob24ubGVhcm4ucHJlcHJv"
    "Y2Vzc2luZy50ZXh0CnRva2VuaXplcgpxG3ViLg=="
)


def spaces(texts: Any) -> Any:
    """A tokenizer of a program's own."""
    for text in texts:
        yield text.split(" ")


def test_texts_become_rows_of_the_numbers_of_their_words() -> None:
    processor = preprocessing.VocabularyProcessor(6)
    rows = np.array(list(processor.fit_transform(TEXTS)))
    assert rows.dtype == np.int64 and len(processor.vocabulary_) == 26
    assert rows.tolist() == [
        [1, 2, 3, 4, 5, 6],
        [0, 0, 0, 0, 0, 0],
        [14, 14, 14, 15, 16, 17],
        [21, 22, 23, 0, 0, 0],
        [5, 24, 5, 24, 25, 0],
    ]
    assert next(processor.reverse(rows[:1])) == "The TF Record isn't a Queue"
    assert next(processor.transform(["unknown cat"])).tolist() == [0, 15, 0, 0, 0, 0]


def test_rare_words_are_unknown_and_the_others_numbered_by_how_often_they_come() -> None:
    processor = preprocessing.VocabularyProcessor(4, min_frequency=1)
    rows = [row.tolist() for row in processor.fit_transform(TEXTS)]
    assert rows == [[0, 0, 0, 0], [0, 0, 0, 0], [2, 2, 2, 0], [0, 0, 0, 0], [1, 3, 1, 3]]
    assert [processor.vocabulary_.get(word) for word in ("a", "the", "b", "c")] == [1, 2, 3, 0]


def test_the_words_of_a_text() -> None:
    first, empty, third, *_ = preprocessing.tokenizer(TEXTS)
    assert " ".join(first) == "The TF Record isn't a Queue Runner - it's re-used the_end 42 times" and empty == []
    assert third == ["the", "the", "the", "cat", "Camel", "Case", "Word", "UR", "Ls"]


def test_bytes_of_texts() -> None:
    processor = preprocessing.ByteProcessor(5)
    rows = np.array(list(processor.fit_transform(["aé\0x", b"toolong", ""])))
    assert rows.dtype == np.uint8
    assert rows.tolist() == [[97, 195, 169, 0, 120], [116, 111, 111, 108, 111], [0] * 5]
    assert list(processor.reverse(rows)) == ["aé\0x", "toolo", ""]
    assert list(processor.reverse(np.array([[195, 0]]))) == [""]


def test_categories_of_columns() -> None:
    processor = preprocessing.CategoricalProcessor(min_frequency=1)
    rows = [row.tolist() for row in processor.fit_transform(np.array([[1, 2], [1, 3], [4, 3.0]]))]
    assert rows == [[1, 0], [1, 1], [0, 1]] and [len(one) for one in processor.vocabularies_] == [2, 2]
    shared = preprocessing.CategoricalProcessor(share=True)
    assert [row.tolist() for row in shared.fit_transform([["a", "b"], ["b", float("nan")]])] == [[1, 2], [2, 0]]


def test_a_vocabulary_is_trimmed_from_both_sides() -> None:
    vocabulary = CategoricalVocabulary()
    for category, count in (("x", 3), ("y", 5), (7, 3), ("a", 3), ("z", 1)):
        vocabulary.add(category, count)
    vocabulary.trim(1, 5)
    assert [vocabulary.reverse(number) for number in range(len(vocabulary))] == ["<UNK>", 7, "a", "x"]
    assert vocabulary.get("new") == 4
    vocabulary.freeze()
    assert (vocabulary.get("newer"), vocabulary.get("x")) == (0, 3)
    with pytest.raises(IndexError):
        vocabulary.reverse(99)
    with pytest.raises(ValueError, match="support_reverse"):
        CategoricalVocabulary(support_reverse=False).reverse(0)


@pytest.mark.parametrize("options", [{}, {"min_frequency": 1}, {"tokenizer_fn": spaces}])
def test_what_is_saved_is_restored(options: dict, tmp_path: pathlib.Path) -> None:
    processor = preprocessing.VocabularyProcessor(5, **options).fit(TEXTS)
    processor.save(str(tmp_path / "words"))
    again = preprocessing.VocabularyProcessor.restore(str(tmp_path / "words"))
    assert again.max_document_length == 5 and len(again.vocabulary_) == len(processor.vocabulary_)
    for one, other in zip(processor.transform(TEXTS), again.transform(TEXTS)):
        assert one.tolist() == other.tolist()


def test_a_file_of_tensorflow_1_is_restored(tmp_path: pathlib.Path) -> None:
    (tmp_path / "words").write_bytes(SAVED)
    processor = preprocessing.VocabularyProcessor.restore(str(tmp_path / "words"))
    assert next(processor.transform(["not to see or be"])).tolist() == [4, 1, 0]
    processor.vocabulary_.freeze(False)
    processor.fit(["see"])
    assert processor.vocabulary_.get("see") == 5


class _Running:
    """Runs a command when it is unpickled."""

    def __init__(self, call: Callable[..., Any], *arguments: Any) -> None:
        self._made = call, arguments

    def __reduce__(self) -> Any:
        return self._made


def _with(tokenizer: Any) -> Any:
    processor = preprocessing.VocabularyProcessor(3).fit(["a"])
    processor._tokenizer = tokenizer
    return processor


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_Running(os.mkdir, "made"), "not a file that VocabularyProcessor.save wrote"),
        (_Running(exec, "import os; os.mkdir('made')"), "not a file that VocabularyProcessor.save wrote"),
        (_with(_Running(os.mkdir, "made")), "not a file that VocabularyProcessor.save wrote"),
        (_with(os.mkdir), "not a function of this program"),
        (_with(pathlib.Path.mkdir), "not a function of this program"),
        (CategoricalVocabulary(), "it contains a CategoricalVocabulary"),
        ({"a": 1}, "it contains a dict"),
    ],
)
def test_nothing_that_a_file_names_is_run(
    content: Any, message: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("words").write_bytes(pickle.dumps(content))
    with pytest.raises(pickle.UnpicklingError, match=message):
        preprocessing.VocabularyProcessor.restore("words")
    assert os.listdir() == ["words"]


def test_files_that_are_cut_or_absent(tmp_path: pathlib.Path) -> None:
    (tmp_path / "words").write_bytes(SAVED[:300])
    with pytest.raises(pickle.UnpicklingError, match="words' is not a file that"):
        preprocessing.VocabularyProcessor.restore(str(tmp_path / "words"))
    with pytest.raises(tf.errors.NotFoundError):
        preprocessing.VocabularyProcessor.restore(str(tmp_path / "absent"))
