"""The coefficients of agreement, declared: formula, assumptions, rule for missing labels, reference."""

from __future__ import annotations

from typing import Final

from analysis.agreement import formulas, makers, scales
from analysis.agreement.coefficient import Coefficient, Scale

GWET: Final = "a lone label counts for the shares of categories, not for observed agreement (Gwet's rule)"
GWET_MARGIN: Final = "a lone label counts for its worker's shares, not for observed agreement (Gwet's rule)"
PAIRED: Final = "units with fewer than two labels are left out"
PAIRABLE: Final = "pairable labels alone: units with fewer than two labels enter nowhere"

_KRIPPENDORFF: Final = "Krippendorff (2004), Content Analysis, chapter 11"
_COHEN68: Final = "Cohen (1968), doi:10.1037/h0026256"
_GWET: Final = "Gwet (2008), doi:10.1348/000711006X126600; Gwet (2014), Handbook of Inter-Rater Reliability"
_BYRT: Final = "Byrt, Bishop & Carlin (1993), doi:10.1016/0895-4356(93)90018-V"
_SAME_SHARES: Final = "all workers share one distribution of categories"
_OWN_SHARES: Final = "workers keep the shares of categories that they have"
_ALIKE: Final = "every declared category is as likely by chance"
_AO: Final = ("agree", "paired")

_SCHEMES: Final[tuple[tuple[str, str, str, Scale], ...]] = (
    ("linear", "linear", "1 - |a - b| / largest, of numbers, else of places", "ordinal"),
    ("quadratic", "quadratic", "1 - (a - b)^2 / largest, of numbers, else of places", "ordinal"),
    ("ordinal", "ordinal", "1 - C(|i - j| + 1, 2) / C(q, 2)", "ordinal"),
    ("ratio", "ratio", "1 - ((a - b) / (a + b))^2 / largest", "ratio"),
    ("weighted", "given weights", "that were given", "nominal"),
)

DECLARED: Final = (
    Coefficient(
        "observed_agreement",
        "Observed agreement",
        "mean over units of the share of pairs of labels that are equal",
        "nothing; chance agreement is not taken off",
        PAIRED,
        "Fleiss (1971), doi:10.1037/h0031619",
        makers.always(formulas.plain, *_AO),
        corrected=False,
    ),
    Coefficient(
        "s_bennett",
        "S (Bennett, Alpert & Goldstein)",
        "(Ao - 1/q) / (1 - 1/q), q the number of declared categories",
        _ALIKE,
        PAIRED,
        "Bennett, Alpert & Goldstein (1954), doi:10.1086/266520",
        makers.uniform,
    ),
    Coefficient(
        "brennan_prediger",
        "Brennan-Prediger kappa",
        "the same number as S, for any number of workers",
        _ALIKE,
        PAIRED,
        "Brennan & Prediger (1981), doi:10.1177/001316448104100307",
        makers.uniform,
    ),
    Coefficient(
        "pi_scott",
        "Scott's pi",
        "(Ao - Ae) / (1 - Ae), Ae the sum of squared shares of the categories",
        _SAME_SHARES,
        GWET,
        "Scott (1955), doi:10.1086/266577",
        makers.scott,
    ),
    Coefficient(
        "kappa_cohen",
        "Cohen's kappa",
        "(Ao - Ae) / (1 - Ae), Ae the sum of products of both workers' shares",
        _OWN_SHARES,
        GWET_MARGIN,
        "Cohen (1960), doi:10.1177/001316446002000104",
        makers.cohen,
    ),
    Coefficient(
        "kappa_weighted_linear",
        "Weighted kappa, linear",
        "kappa with weights 1 - |i - j| / (q - 1), i and j places in the declared order",
        f"{_OWN_SHARES}; categories are equally far apart",
        GWET_MARGIN,
        _COHEN68,
        makers.by_place(scales.linear),
        "ordinal",
    ),
    Coefficient(
        "kappa_weighted_quadratic",
        "Weighted kappa, quadratic",
        "kappa with weights 1 - (i - j)^2 / (q - 1)^2, i and j places in the declared order",
        f"{_OWN_SHARES}; categories are equally far apart",
        GWET_MARGIN,
        _COHEN68,
        makers.by_place(scales.quadratic),
        "ordinal",
    ),
    Coefficient(
        "kappa_weighted",
        "Weighted kappa, given weights",
        "kappa with the weights of agreement that were given",
        f"{_OWN_SHARES}; the weights",
        GWET_MARGIN,
        _COHEN68,
        makers.given_weights,
    ),
    Coefficient(
        "two_ao_minus_1",
        "2 Ao - 1",
        "2 Ao - 1; equal to S for two categories and not for more",
        "nothing but the scale",
        PAIRED,
        _BYRT,
        makers.always(formulas.twice, *_AO),
    ),
    Coefficient(
        "pabak",
        "PABAK",
        "2 Ao - 1, the prevalence- and bias-adjusted kappa; equal to S for two categories and not for more",
        "two categories, as likely by chance",
        PAIRED,
        _BYRT,
        makers.always(formulas.twice, *_AO),
    ),
    Coefficient(
        "kappa_max",
        "Largest kappa",
        "(sum of the smaller of both workers' shares - Ae) / (1 - Ae): what kappa could be at most",
        "both workers keep their shares",
        GWET_MARGIN,
        "Cohen (1960), doi:10.1177/001316446002000104",
        makers.two(formulas.kappa_max, "margin", *_AO),
        corrected=False,
        natural=True,
    ),
    Coefficient(
        "multi_pi",
        "Multi-pi (Fleiss' kappa)",
        "(Ao - Ae) / (1 - Ae), Ae the sum of squared shares, a share the mean over units",
        _SAME_SHARES,
        GWET,
        "Fleiss (1971), doi:10.1037/h0031619; Gwet (2014)",
        makers.always(formulas.multi_pi, *_AO, "share"),
    ),
    Coefficient(
        "multi_kappa",
        "Multi-kappa (Davies & Fleiss, Conger)",
        "(Ao - Ae) / (1 - Ae), Ae the mean over pairs of workers of the sum of products of their shares",
        _OWN_SHARES,
        GWET_MARGIN,
        "Davies & Fleiss (1982), doi:10.2307/2529886; Conger (1980), doi:10.1037/0033-2909.88.2.322",
        makers.multi_kappa,
    ),
    Coefficient(
        "kappa_light",
        "Light's kappa",
        "mean over pairs of workers of Cohen's kappa, where it is defined",
        _OWN_SHARES,
        GWET_MARGIN,
        "Light (1971), doi:10.1037/h0031643",
        makers.light,
    ),
    Coefficient(
        "alpha_nominal",
        "Krippendorff's alpha, nominal",
        "1 - Do/De, distance 0 for equal labels and 1 for others",
        _SAME_SHARES,
        PAIRABLE,
        _KRIPPENDORFF,
        makers.always(formulas.alpha_nominal, "matches", "pairable", "paired"),
    ),
    Coefficient(
        "alpha_ordinal",
        "Krippendorff's alpha, ordinal",
        "1 - Do/De, distance the squared number of labels between the middles of two categories",
        f"{_SAME_SHARES}; the labels themselves say how far apart categories are",
        PAIRABLE,
        _KRIPPENDORFF,
        makers.alpha_ordinal,
        "ordinal",
    ),
    Coefficient(
        "alpha_interval",
        "Krippendorff's alpha, interval",
        "1 - Do/De, distance (a - b)^2",
        f"{_SAME_SHARES}; differences of labels have a meaning",
        PAIRABLE,
        _KRIPPENDORFF,
        makers.alpha_interval,
        "interval",
    ),
    Coefficient(
        "alpha_ratio",
        "Krippendorff's alpha, ratio",
        "1 - Do/De, distance ((a - b) / (a + b))^2",
        f"{_SAME_SHARES}; labels have a true zero",
        PAIRABLE,
        _KRIPPENDORFF,
        makers.alpha_ratio,
        "ratio",
    ),
    Coefficient(
        "alpha_jaccard",
        "Krippendorff's alpha, Jaccard",
        "1 - Do/De, distance 1 - shared members / all members of two sets",
        _SAME_SHARES,
        f"{PAIRABLE}; an empty set is a label",
        "Jaccard (1908); Krippendorff (2004)",
        makers.alpha_sets("jaccard"),
    ),
    Coefficient(
        "alpha_masi",
        "Krippendorff's alpha, MASI",
        "1 - Do/De, distance 1 - Jaccard x (1 equal, 2/3 one in the other, 1/3 they meet, else 0)",
        _SAME_SHARES,
        f"{PAIRABLE}; an empty set is a label",
        "Passonneau (2006), Measuring Agreement on Set-valued Items",
        makers.alpha_sets("masi"),
    ),
    Coefficient(
        "alpha_distance",
        "Krippendorff's alpha, given distance",
        "1 - Do/De with the distances that were given",
        f"{_SAME_SHARES}; the distances",
        PAIRABLE,
        _KRIPPENDORFF,
        makers.alpha_given,
    ),
    Coefficient(
        "ac1",
        "Gwet's AC1",
        "(Ao - Ae) / (1 - Ae), Ae = sum of p (1 - p) / (q - 1)",
        "chance agreement comes from labels given at random, which are few where a category prevails",
        GWET,
        _GWET,
        makers.ac(""),
    ),
    *(
        Coefficient(
            f"ac2_{scheme}",
            f"Gwet's AC2, {words}",
            f"AC1 with weights {formula}; Ae = sum of weights x sum of p (1 - p) / (q (q - 1))",
            "as AC1; the weights",
            GWET,
            _GWET,
            makers.ac(scheme),
            scale,
        )
        for scheme, words, formula, scale in _SCHEMES
    ),
    Coefficient(
        "prevalence_index",
        "Prevalence index",
        "share of the first of two categories less that of the second",
        "two categories",
        GWET,
        _BYRT,
        makers.prevalence,
        corrected=False,
        natural=True,
    ),
    Coefficient(
        "bias_index",
        "Bias index",
        "the first worker's share of the first of two categories less the second worker's",
        "two categories, two workers",
        GWET_MARGIN,
        _BYRT,
        makers.bias,
        corrected=False,
        natural=True,
    ),
    Coefficient(
        "specific_agreement",
        "Specific agreement",
        "of pairs of labels one of which is the category, the share both of which are; a record a category",
        "nothing; chance agreement is not taken off",
        PAIRED,
        "Cicchetti & Feinstein (1990), doi:10.1016/0895-4356(90)90159-M",
        makers.specific,
        corrected=False,
    ),
)
