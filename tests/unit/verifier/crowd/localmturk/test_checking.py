"""The strict check of values against shapes of the model."""

import pytest

from verifier.crowd.localmturk.checking import faults
from verifier.crowd.localmturk.model import model


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("a1", "CustomerId"),
        ("A" * 65, "CustomerId"),
        ("1.234", "CurrencyAmount"),
        ("1.00\n", "CurrencyAmount"),
        (0, "ResultSize"),
        (101, "ResultSize"),
        (True, "Integer"),
        (2**31, "Integer"),
        (2**63, "Long"),
        ("Gone", "HITStatus"),
        ("\ud800", "String"),
        ("", "IdempotencyToken"),
        ("2026-01-01", "Timestamp"),
        (1e20, "Timestamp"),
        ({}, "GetHITRequest"),
        ({"HITId": "A", "Other": 1}, "GetHITRequest"),
        ([{"Country": "USA"}], "LocaleList"),
        ("x", "HITList"),
    ],
)
def test_what_the_model_forbids_is_found(value, shape):
    assert list(faults(value, shape))


@pytest.mark.parametrize(
    ("value", "shape"),
    [("A1", "CustomerId"), ("5", "CurrencyAmount"), (100, "ResultSize"), (0.5, "Timestamp")],
)
def test_what_the_model_allows_passes(value, shape):
    assert not list(faults(value, shape))


def test_the_model_has_thirty_nine_operations():
    assert len(model().operations) == 39
