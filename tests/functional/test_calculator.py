"""The dashboard's calculator: a pasted table, every coefficient read off, faults said."""

from __future__ import annotations

import pytest

from verifier.web.app import create_app

KEY = "a-key-that-is-good-once"
LABELS = "item\tworker\tanswer\n" + "".join(
    f"{unit}\t{worker}\t{'no' if unit % 3 == 0 or (unit == 1 and worker == 'bob') else 'yes'}\n"
    for unit in range(12)
    for worker in ("ann", "bob", "eve")
)


@pytest.fixture
def inside(tiny_study):
    """A browser that has entered."""
    client = create_app(tiny_study, dashboard_key=KEY).test_client()
    client.get(f"/admin/enter?key={KEY}")
    return client


def test_nobody_computes_without_a_session(tiny_study):
    client = create_app(tiny_study, dashboard_key=KEY).test_client()
    assert client.get("/admin/calculator").status_code == 403
    assert client.post("/admin/calculator", data={"table": LABELS}).status_code == 403


def test_another_site_is_refused(inside):
    sent = inside.post("/admin/calculator", data={"table": LABELS}, headers={"Sec-Fetch-Site": "cross-site"})
    assert sent.status_code == 403


def test_a_pasted_table_gives_every_coefficient(inside):
    answer = inside.post("/admin/calculator", data={"table": LABELS, "categories": "yes, no"})
    assert answer.status_code == 200
    for words in (
        "Observed agreement",
        "Krippendorff&#39;s alpha, nominal",
        "Gwet&#39;s AC1",
        "12 units",
        "0.944",
    ):
        assert words in answer.text
    assert "Units that disagree most" in answer.text
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"shape": "matrix", "table": "u,a,b\n1,x,x\n2,y,x\n3,y,y\n4,,x"}, "Cohen&#39;s kappa"),
        ({"shape": "joint", "table": ",x,y\nx,20,5\ny,10,15"}, "0.400"),
        (
            {"shape": "spans", "table": "document,worker,start,end,label,length\nd,a,0,3,X,9\nd,b,0,3,X,9"},
            "Span F1",
        ),
        ({"table": "unit;worker;label\n1;a;x|y\n1;b;x\n2;a;y\n2;b;y", "distance": "masi"}, "MASI"),
    ],
)
def test_tables_of_other_shapes(inside, data, words):
    answer = inside.post("/admin/calculator", data=data)
    assert answer.status_code == 200
    assert words in answer.text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"table": "  "}, "the table is empty"),
        ({"table": "a,b\n1,2"}, "too few columns"),
        ({"table": "a,b,c\n1,2,3,4"}, "more cells than the first row"),
        ({"table": "unit,worker,label\n1,a,x\n1,a,y"}, "more than one label"),
        ({"table": "unit,worker,label\n1,a,x", "categories": "y"}, "unknown category"),
        ({"table": "unit,worker,label\n1,a,x", "shape": "cube"}, "no such shape"),
        ({"table": "unit,worker,label\n1,a,x", "scale": "odd"}, "no such scale"),
        ({"table": ",x,y\nx,1,?\ny,1,1", "shape": "joint"}, "a cell is no number"),
        ({"table": "u,a,b\n1,x,x\n1,x,x", "shape": "matrix"}, "a unit has two rows"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_pasted_stays(inside, data, words):
    answer = inside.post("/admin/calculator", data=data)
    assert answer.status_code == 400
    assert words in answer.text
    assert data["table"].strip().split("\n")[-1] in answer.text


def test_what_was_pasted_is_never_markup(inside):
    table = "unit,worker,label\n1,<b>ann</b>,</textarea><script>x</script>\n1,bob,y\n"
    answer = inside.post("/admin/calculator", data={"table": table})
    assert "<script>x" not in answer.text
    assert "<b>ann" not in answer.text
