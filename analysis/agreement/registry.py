"""The coefficients by name, and what is asked for as agreement and is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from analysis.agreement.coefficient import Coefficient
from analysis.agreement.declared import DECLARED
from analysis.errors import InputError, plain

COEFFICIENTS: Final = {coefficient.name: coefficient for coefficient in DECLARED}

_INSTEAD: Final = "Use alpha_nominal, or kappa_cohen for two workers, beside observed_agreement."
_CHI: Final = (
    "a chi-square statistic asks whether labels hang together in any way: workers who always contradict each "
    "other score as high as workers who always agree"
)
_CORRELATION: Final = (
    "a correlation is 1 for workers who differ by a constant or by a factor, and never agree at all"
)
NOT_AGREEMENT: Final = {
    **dict.fromkeys(("chi2", "chi_square", "chi-square", "chisquare", "cramer_v", "cramers_v", "phi"), _CHI),
    **dict.fromkeys(("contingency_coefficient", "lambda", "mutual_information"), _CHI),
    **dict.fromkeys(("correlation", "pearson", "pearson_r", "spearman", "spearman_rho"), _CORRELATION),
    **dict.fromkeys(("kendall", "kendall_tau", "r", "r2"), _CORRELATION),
}


def refuse(names: Sequence[str]) -> None:
    """Refuse what is asked for as agreement and is none.

    Raises:
        InputError: a name is of something that is no measure of agreement.
    """
    for name in names:
        key = name.strip().lower().replace(" ", "_")
        if key in NOT_AGREEMENT:
            ordered = "alpha_ordinal, alpha_interval or kappa_weighted_quadratic"
            instead = f"Use {ordered}." if NOT_AGREEMENT[key] == _CORRELATION else _INSTEAD
            raise InputError(f"{name} does not measure agreement: {NOT_AGREEMENT[key]}", remedy=instead)


def chosen(names: list[str] | None) -> list[Coefficient]:
    """The coefficients of those names, all if None.

    Raises:
        InputError: a name is unknown, or of something that is no measure of agreement.
    """
    refuse(names or [])
    for name in names or []:
        if name not in COEFFICIENTS:
            raise InputError("no such coefficient", got=plain(name), expected=", ".join(COEFFICIENTS))
    return [COEFFICIENTS[name] for name in names] if names else list(COEFFICIENTS.values())
