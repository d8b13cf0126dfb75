"""What is declared of every coefficient, and that the docs say the same."""

from pathlib import Path

import pytest

from analysis.agreement.registry import COEFFICIENTS
from analysis.agreement.span_declared import SPAN_COEFFICIENTS

PAGE = (Path(__file__).parents[4] / "docs" / "reference" / "metrics.md").read_text(encoding="utf-8")
PUBLISHED = (
    "observed_agreement s_bennett brennan_prediger pi_scott kappa_cohen kappa_weighted_linear "
    "kappa_weighted_quadratic kappa_weighted two_ao_minus_1 pabak kappa_max multi_pi multi_kappa kappa_light "
    "alpha_nominal alpha_ordinal alpha_interval alpha_ratio alpha_jaccard alpha_masi alpha_distance ac1 "
    "ac2_linear ac2_quadratic ac2_ordinal ac2_ratio ac2_weighted prevalence_index bias_index "
    "specific_agreement"
)
OF_SPANS = "span_f1_exact span_f1_overlap token_kappa token_alpha alpha_u"


def test_every_published_name_is_a_coefficient():
    assert set(PUBLISHED.split()) == set(COEFFICIENTS)
    assert set(OF_SPANS.split()) <= set(SPAN_COEFFICIENTS)


@pytest.mark.parametrize(
    "one", [*COEFFICIENTS.values(), *SPAN_COEFFICIENTS.values()], ids=lambda one: one.name
)
def test_the_docs_say_what_is_declared(one):
    row = next(
        line for line in PAGE.splitlines() if line.startswith(f"| `{one.name}` |") and one.formula in line
    )
    assert one.missing in row
    assert one.reference.startswith("docs/") or one.reference in row
