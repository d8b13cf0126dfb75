"""What a paper that uses these numbers should cite: each method that was used, as text and as BibTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pandas as pd

    from analysis.results import Results


@dataclass(frozen=True)
class Reference:
    """An entry of a bibliography.

    Attributes:
        kind: of BibTeX.
        said: as the text names it.
        fields: of BibTeX.
    """

    kind: str
    said: str
    fields: Mapping[str, str]

    def bibtex(self, key: str) -> str:
        """The entry."""
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in self.fields.items())
        return f"@{self.kind}{{{key},\n{body}\n}}\n"


def _article(  # noqa: PLR0917 - the parts of a citation, in their usual order
    said: str, author: str, title: str, journal: str, year: int, volume: str, pages: str
) -> Reference:
    fields = {"author": author, "title": title, "journal": journal, "year": str(year)}
    number = {}
    if "(" in volume:
        volume, _, issue = volume.rstrip(")").partition("(")
        number = {"number": issue}
    return Reference("article", said, {**fields, "volume": volume, **number, "pages": pages})


REFERENCES: Final[Mapping[str, Reference]] = {
    "cameron2011": _article(
        "Cameron, Gelbach and Miller, 2011",
        "Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.",
        "Robust Inference with Multiway Clustering",
        "Journal of Business {\\&} Economic Statistics",
        2011,
        "29(2)",
        "238--249",
    ),
    "efron1993": Reference(
        "book",
        "Efron and Tibshirani, 1993",
        {
            "author": "Efron, Bradley and Tibshirani, Robert J.",
            "title": "An Introduction to the Bootstrap",
            "publisher": "Chapman {\\&} Hall",
            "year": "1993",
        },
    ),
    "wilson1927": _article(
        "Wilson, 1927",
        "Wilson, Edwin B.",
        "Probable Inference, the Law of Succession, and Statistical Inference",
        "Journal of the American Statistical Association",
        1927,
        "22(158)",
        "209--212",
    ),
    "clopper1934": _article(
        "Clopper and Pearson, 1934",
        "Clopper, C. J. and Pearson, E. S.",
        "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
        "Biometrika",
        1934,
        "26(4)",
        "404--413",
    ),
    "korn1998": _article(
        "Korn and Graubard, 1998",
        "Korn, Edward L. and Graubard, Barry I.",
        "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated "
        "from Survey Data",
        "Survey Methodology",
        1998,
        "24(2)",
        "193--201",
    ),
    "holm1979": _article(
        "Holm, 1979",
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics",
        1979,
        "6(2)",
        "65--70",
    ),
    "hayes2007": _article(
        "Hayes and Krippendorff, 2007",
        "Hayes, Andrew F. and Krippendorff, Klaus",
        "Answering the Call for a Standard Reliability Measure for Coding Data",
        "Communication Methods and Measures",
        2007,
        "1(1)",
        "77--89",
    ),
    "rogan1978": _article(
        "Rogan and Gladen, 1978",
        "Rogan, Walter J. and Gladen, Beth",
        "Estimating Prevalence from the Results of a Screening Test",
        "American Journal of Epidemiology",
        1978,
        "107(1)",
        "71--76",
    ),
    "chapman1951": _article(
        "Chapman, 1951",
        "Chapman, Douglas G.",
        "Some Properties of the Hypergeometric Distribution with Applications to Zoological Sample Censuses",
        "University of California Publications in Statistics",
        1951,
        "1(7)",
        "131--160",
    ),
    "chao1987": _article(
        "Chao, 1987",
        "Chao, Anne",
        "Estimating the Population Size for Capture-Recapture Data with Unequal Catchability",
        "Biometrics",
        1987,
        "43(4)",
        "783--791",
    ),
}


def cited(results: Results) -> list[tuple[str, str]]:
    """(what was done, key of its reference), for the methods that these results used."""
    return list(dict.fromkeys(_cited(results)))


def _cited(results: Results) -> Iterator[tuple[str, str]]:
    metrics = results.metrics.dropna(subset=["estimate"])
    methods = " ".join(metrics["method"].dropna().astype(str).unique()).lower()
    if "documents x workers" in methods:
        yield "standard errors by documents and workers at once", "cameron2011"
    if results.settings.replicates and metrics["bootstrap_low"].notna().any():
        yield "bootstrap intervals", "efron1993"
    if "wilson" in methods or len(results.controls) or len(results.workers):
        yield "Wilson intervals of workers and controls", "wilson1927"
    if "korn" in methods:
        yield "Korn-Graubard intervals", "korn1998"
    if "clopper" in methods:
        yield "Clopper-Pearson intervals", "clopper1934"
    if "p_holm" in results.comparisons and results.comparisons["p_holm"].notna().any():
        yield "p values adjusted for their number", "holm1979"
    yield from _by_metric(metrics["metric"])


def _by_metric(metrics: pd.Series) -> Iterator[tuple[str, str]]:
    used = set(metrics)
    if any(name.startswith("alpha_") for name in used):
        yield "Krippendorff's alpha", "hayes2007"
    if "corrected_verification_rate" in used:
        yield "rates corrected for errors in judging", "rogan1978"
    if "capture_chapman" in used:
        yield "the number of mentions by two captures", "chapman1951"
    if "capture_chao2" in used:
        yield "the number of mentions by several captures", "chao1987"


def software(version: str) -> Reference:
    """The entry of this program."""
    fields = {
        "author": "{The posthoc authors}",
        "title": "posthoc: crowd verification of entity links",
        "note": f"Version {version}",
    }
    return Reference("misc", f"posthoc {version}", fields)


def bibliography(results: Results, version: str) -> str:
    """The BibTeX file: this program, and what was used."""
    keys = sorted({key for _, key in cited(results)})
    return "\n".join([software(version).bibtex("posthoc"), *(REFERENCES[key].bibtex(key) for key in keys)])
