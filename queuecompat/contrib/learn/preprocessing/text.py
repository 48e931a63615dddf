"""Texts as rows of numbers: of their words, or of their bytes."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Tuple, Union

import numpy as np

from queuecompat.contrib.learn.preprocessing import stored
from queuecompat.contrib.learn.preprocessing.categorical_vocabulary import CategoricalVocabulary

__all__ = ["TOKENIZER_RE", "ByteProcessor", "VocabularyProcessor", "tokenizer"]

# TF1's words: capitals together ("TF" of "TFRecord" is cut off), the first of two words written as one, and letters,
# digits, underscores, hyphens and apostrophes together.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+")

Tokenizer = Callable[[Iterable[str]], Iterator[List[str]]]


def tokenizer(iterator: Iterable[str]) -> Iterator[List[str]]:
    """The words of each text.

    Args:
      iterator: texts.
    Yields:
      the words of one text, in its order; signs between words are left out.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/text.py``.
    """
    for value in iterator:
        yield TOKENIZER_RE.findall(value)


class VocabularyProcessor:
    """Makes rows of the numbers of words, all of one length.

    Args:
      max_document_length: of a row: longer texts are cut, shorter ones end in zeros.
      min_frequency: words that are seen this often or less have the number 0.
      vocabulary: a ``CategoricalVocabulary``; None or an empty one: a new one.
      tokenizer_fn: as ``tokenizer``, which is the default.
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
        """Numbers the words of all texts; new words are unknown afterwards."""
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[np.ndarray]:
        """``fit``, and then ``transform``: goes through the texts twice, which a generator does not allow."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[np.ndarray]:
        """Each text as a row.

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
        """The words of each row, with spaces between them."""
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in row)

    def save(self, filename: str) -> None:
        """Writes the processor to a file, with its vocabulary, and with its tokenizer by name.

        Raises:
          pickle.PicklingError, AttributeError: the tokenizer is a lambda or a function within a function.
        """
        stored.written(self, filename)

    @classmethod
    def restore(cls, filename: str) -> Any:
        """The processor of a file that ``save`` wrote, here or in TensorFlow 1.

        Raises:
          tf.errors.NotFoundError: there is no such file.
          pickle.UnpicklingError: it is none of ``save``; or its tokenizer is not a function of the program.
        """
        own: Dict[Tuple[str, str], Any] = {
            ("text", one.__name__): one for one in (ByteProcessor, VocabularyProcessor, tokenizer)
        }
        own[("categorical_vocabulary", "CategoricalVocabulary")] = CategoricalVocabulary
        return stored.read(filename, own, (ByteProcessor, VocabularyProcessor))


class ByteProcessor:
    """Makes rows of the bytes of texts, in UTF-8, all of one length.

    Args:
      max_document_length: of a row: longer texts are cut, shorter ones end in zeros.
    Differs from TF1: None known.
    Source: TF 1.15.5 ``contrib/learn/python/learn/preprocessing/text.py``.
    """

    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> None:
        """There is nothing to fit."""

    def fit_transform(self, x: Iterable[Union[bytes, str]]) -> Iterator[np.ndarray]:
        """``transform``."""
        return self.transform(x)

    def reverse(self, x: Iterable[np.ndarray]) -> Iterator[str]:
        """The text of each row, without the zeros at its end; "" of a row that is cut within a letter."""
        for row in x:
            text = np.trim_zeros(np.asarray(row).astype(np.int8), trim="b").tobytes()
            try:
                yield text.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[Union[bytes, str]]) -> Iterator[np.ndarray]:
        """Each text as a row.

        Yields:
          uint8 ``[max_document_length]``.
        """
        for text in x:
            data = text.encode("utf-8") if isinstance(text, str) else bytes(text)
            row = np.zeros(self.max_document_length, np.uint8)
            cut = np.frombuffer(data[: self.max_document_length], np.uint8)
            row[: len(cut)] = cut
            yield row
