"""Writing corpora in the formats people have, so that reading them back gives the same corpus."""

from verifier.corpus.writers.registry import FORMATS, Writer, format_of, together, write

__all__ = ["FORMATS", "Writer", "format_of", "together", "write"]
