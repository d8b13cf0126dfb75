"""Generated requests, from the model: the local MTurk never gives an answer that the model forbids."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.mturk import QUESTION, memory
from verifier.crowd.localmturk.checking import faults
from verifier.crowd.localmturk.model import model
from verifier.crowd.localmturk.operations import HANDLERS
from verifier.crowd.localmturk.service import Service

ERRORS = {"RequestError", "ServiceFault"}
IDS = st.sampled_from(["3A", "3B", "00000000000000000071", "A1"])
TEXT = st.text(max_size=20)


def values(shape: str, member: str = "") -> st.SearchStrategy:  # noqa: PLR0911 - one a type
    """Values of a shape that the model allows, small enough to be likely to fit together."""
    told = model().shapes[shape]
    if member == "Question":
        return st.sampled_from([QUESTION, "<a/>", ""])
    if "enum" in told:
        return st.sampled_from(told["enum"])
    match told["type"]:
        case "structure":
            need = told.get("required", [])
            parts = {name: values(item["shape"], name) for name, item in told["members"].items()}
            return st.fixed_dictionaries(
                {name: part for name, part in parts.items() if name in need},
                optional={name: part for name, part in parts.items() if name not in need},
            )
        case "list":
            return st.lists(values(told["member"]["shape"]), max_size=3)
        case "string" if shape == "CurrencyAmount":
            return st.sampled_from(["0", "0.01", "1.00", "99999999999999999999.99", "3."])
        case "string" if "pattern" in told:
            return IDS.filter(lambda text: not list(faults(text, shape)))
        case "string":
            least, most = told.get("min", 0), told.get("max", 20)
            return st.text(st.characters(exclude_categories=["Cs"]), min_size=least, max_size=min(most, 20))
        case "integer" | "long":
            low, high = told.get("min", -(2**31)), told.get("max", 2**31 - 1)
            return st.integers(low, high) | st.sampled_from([max(low, 1), min(high, 60)])
        case "boolean":
            return st.booleans()
        case _:
            return st.integers(0, 2**33)


def forbidden(operation: str, status: int, body: dict) -> Iterator[str]:
    """What the model forbids in an answer."""
    if status == 200:
        yield from faults(body, model().operations[operation].output)
        return
    if body["__type"] not in ERRORS:
        yield f"error {body['__type']}"
    yield from faults({k: v for k, v in body.items() if k != "__type"}, body["__type"])
    if body["TurkErrorCode"].endswith("OwnAnswerIsWrong"):
        yield body["Message"]


@pytest.mark.parametrize("operation", sorted(model().operations))
@examples(12)
@given(data=st.data())
def test_no_answer_is_one_that_the_model_forbids(operation, data):
    service = Service(memory())
    before = "CreateHITType", "CreateHIT", "CreateQualificationType"
    names = data.draw(st.lists(st.sampled_from(before), max_size=2))
    for name in [*names, operation, operation]:
        request = data.draw(values(model().operations[name].input))
        body = json.dumps(request).encode()
        answer = service.answer(f"{model().target}.{name}", body)
        assert not list(forbidden(name, answer.status, answer.body))
        if name not in HANDLERS:
            assert answer.body["TurkErrorCode"] == "AWS.MechanicalTurk.NotServedHere"
    service.state.close()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT | st.just("HITId"), inner, max_size=3),
    max_leaves=8,
)


@examples(100)
@given(operation=st.sampled_from(sorted(HANDLERS)), body=st.binary(max_size=30) | JSON.map(json.dumps))
def test_no_body_whatever_breaks_it(operation, body):
    service = Service(memory())
    raw = body if isinstance(body, bytes) else body.encode()
    answer = service.answer(f"{model().target}.{operation}", raw)
    assert not list(forbidden(operation, answer.status, answer.body))
    service.state.close()
