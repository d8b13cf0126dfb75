"""Reading and writing annotated corpora; `read_corpus` is what other programs call."""

from verifier.corpus.reading import Reading, read_corpus, read_file

__all__ = ["Reading", "read_corpus", "read_file"]
