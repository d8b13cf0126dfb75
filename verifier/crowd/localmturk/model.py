"""MTurk's service model, as botocore ships it: which operations there are and what they take and give."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

from botocore.exceptions import UnknownServiceError  # type: ignore[import-untyped]  # ships no types
from botocore.loaders import Loader  # type: ignore[import-untyped]  # the same

from analysis.errors import MissingExtraError

_SERVICE: Final = "mturk"


class Operation(NamedTuple):
    """An operation: the names of its input and output shapes."""

    name: str
    input: str
    output: str


class Model(NamedTuple):
    """The service model.

    Attributes:
        target: prefix of the X-Amz-Target header.
        operations: by name.
        shapes: by name, as the model writes them.
    """

    target: str
    operations: dict[str, Operation]
    shapes: dict[str, dict[str, Any]]


@cache
def model() -> Model:
    """The service model of the installed botocore.

    Raises:
        MissingExtraError: this botocore has dropped the service, and the package that keeps it is not there.
    """
    return load(Loader())


def load(loader: Loader) -> Model:
    """The service model that a loader finds.

    Raises:
        MissingExtraError: it finds none.
    """
    try:
        found = loader.load_service_model(_SERVICE, "service-2")
    except UnknownServiceError:
        # The package puts the model where botocore's own loader looks, so that nothing else is to be done.
        raise MissingExtraError(
            "this botocore no longer knows MTurk", remedy="pip install botocore-a-la-carte-mturk"
        ) from None
    operations = {
        name: Operation(name, told["input"]["shape"], told["output"]["shape"])
        for name, told in found["operations"].items()
    }
    return Model(found["metadata"]["targetPrefix"], operations, dict(found["shapes"]))
