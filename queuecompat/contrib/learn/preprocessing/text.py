"""Turns texts into rows of numbers: the numbers of their words, or their bytes."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np

from queuecompat.contrib.learn.preprocessing import stored
from queuecompat.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

__all__ = ["TOKENIZER_RE", "ByteProcessor", "VocabularyProcessor", "tokenizer"]

# TF1's definition of a word, in three alternatives: a run of capitals ("TF" of "TFRecord"); a capitalised word directly
# before a capital ("Big" of "BigTable"); any run of letters, digits, underscores, hyphens and apostrophes.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")

Tokenizer = Callable[[Iterable[str]], Iterator[List[str]]]


def tokenizer(iterator: Iterable[str]) -> Iterator[List[str]]:
    """Yields the words of each text.

    Args:
      iterator: the texts.
    Yields:
      the words of one text, in order; other characters, between the words, are left out.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/text.py``.
    """
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class VocabularyProcessor:
    """Turns texts into rows of the numbers of their words, all of the same length.

    Args:
      max_document_length: the length of a row, in words. Longer texts are cut; shorter ones are padded with zeros.
      min_frequency: words that occur at most this often get the number 0.
      vocabulary: a ``CategoricalVocabulary``; None or an empty one: a new vocabulary.
      tokenizer_fn: a function like ``tokenizer``, which is the default.
    Attributes:
      vocabulary_: the vocabulary.
    Differs from TF1: ``restore`` runs nothing that is in a file, and refuses files that would have it do so.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/text.py``.
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: Optional[CategoricalVocabulary] = None,
        tokenizer_fn: Optional[Tokenizer] = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Numbers the words of all texts, and freezes the vocabulary: new words are unknown afterwards."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """Calls ``fit`` and then ``transform``. Reads the texts twice, so they cannot come from a generator."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Turns each text into a row.

        Yields:
          int64 ``[max_document_length]``.
        """
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for place, token in enumerate(tokens):
                if place >= self.max_document_length:
                    break
                row[place] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """Yields the words of each row as a text, separated by spaces."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Writes the processor to a file, with its vocabulary and the name of its tokenizer.

        Raises:
          pickle.PicklingError, AttributeError: the tokenizer is a lambda or a function within a function.
        """
        stored.written(self, filename)

    @classmethod
    def restore(cls, filename: str) -> Any:
        """Reads a processor from a file that ``save`` wrote, here or in TensorFlow 1.

        Raises:
          tf.errors.NotFoundError: there is no such file.
          pickle.UnpicklingError: ``save`` did not write the file; or its tokenizer is not a function of the program.
        """
        own: Dict[Tuple[str, str], Any] = {
            ("text", one.__name__): one for one in (ByteProcessor, VocabularyProcessor, tokenizer)
        }
        own[("categorical_vocabulary", "CategoricalVocabulary")] = CategoricalVocabulary
        return stored.read(filename, own, (ByteProcessor, VocabularyProcessor))


class ByteProcessor:
    """Turns texts into rows of their bytes in UTF-8, all of the same length.

    Args:
      max_document_length: the length of a row, in bytes. Longer texts are cut; shorter ones are padded with zeros.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/text.py``.
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """Does nothing: bytes need no vocabulary."""

    def fit_transform(self, x: Iterable[Union[bytes, str]]) -> Iterator[np.ndarray]:
        """Calls ``transform``."""
        return self.transform(x)

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """Yields the text of each row, without the zeros at its end; "" for a row that was cut within a character."""
        for row in x:
            text = np.trim_zeros(np.asarray(row).astype(np.int8), trim="b").tobytes()
            try:
                yield text.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[Union[bytes, str]]) -> Iterator[np.ndarray]:
        """Turns each text into a row.

        Yields:
          uint8 ``[max_document_length]``.
        """
        for text in x:
            data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
            row = np.zeros(self.max_document_length, np.uint8)
            cut = np.frombuffer(data[: self.max_document_length], np.uint8)
            row[: len(cut)] = cut
            yield row
