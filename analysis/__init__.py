"""The vocabulary and every computation: `load`, `evaluate`, `compare`, `score`, `agreement`."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # what a type checker sees of the names that are imported when first used
    from analysis.agreement import agreement  # noqa: TC004 - imported when it is used
    from analysis.compare import compare  # noqa: TC004 - imported when it is used
    from analysis.errors import PosthocError  # noqa: TC004 - imported when it is used
    from analysis.evaluate import evaluate, metrics  # noqa: TC004 - imported when it is used
    from analysis.load import load  # noqa: TC004 - imported when it is used
    from analysis.report.gallery import figure  # noqa: TC004 - imported when it is used
    from analysis.score import score  # noqa: TC004 - imported when it is used
    from analysis.study import Study  # noqa: TC004 - imported when it is used

__all__ = ["PosthocError", "Study", "agreement", "compare", "evaluate", "figure", "load", "metrics", "score"]

_HOME: Final = {
    "PosthocError": "analysis.errors",
    "Study": "analysis.study",
    "agreement": "analysis.agreement",
    "compare": "analysis.compare",
    "evaluate": "analysis.evaluate",
    "figure": "analysis.report.gallery",
    "load": "analysis.load",
    "metrics": "analysis.evaluate",
    "score": "analysis.score",
}


class _Package(ModuleType):
    """Public names are imported when first used, so that `import analysis` costs nothing.

    Some share their name with the module they live in, which Python binds here when it is imported; the
    public name has to win, whatever was imported before.
    """

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(_HOME[name]), name)
        super().__setattr__(name, value)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_HOME})


sys.modules[__name__].__class__ = _Package
