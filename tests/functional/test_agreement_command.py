"""`agreement` on files: a readable table, JSON, a page, and errors that say what to do."""

import json

import pytest

from analysis import cli

LABELS = "unit,worker,label\n" + "".join(
    f"{unit},{worker},{label}\n"
    for unit, pair in enumerate(["xx", "xy", "yy", "xx", "zz"])
    for worker, label in zip("ab", pair, strict=True)
)
RECORD = {"coefficient", "estimate", "low", "high", "level", "method", "n_units", "n_workers", "reason"}


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def go(*arguments, **files):
        for name, text in {"labels": LABELS, **files}.items():
            (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
        monkeypatch.setattr("sys.argv", ["analysis", "agreement", *arguments])
        status = cli.main()
        return status, *capsys.readouterr()

    return go


def test_the_table_names_coefficients_intervals_and_warnings(run):
    status, out, err = run("labels.csv", "--categories", "x,y,z")
    assert status == 0
    assert "Cohen's kappa" in out
    assert "95\u00a0% interval" in out
    assert "Agreement is not correctness" in out
    assert "are only 5" in err


def test_json_is_one_document_of_records_table_and_warnings(run):
    _, out, _ = run("labels.csv", "--categories", "x,y,z", "--json")
    found = json.loads(out)
    assert all(record.keys() >= RECORD for record in found["records"])
    assert found["table"]["rows"] == [[2, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert found["warnings"]


def test_a_joint_table_gives_the_same_numbers(run):
    _, long, _ = run("labels.csv", "--categories", "x,y,z", "--json")
    _, square, _ = run("joint.csv", "--table", "--json", joint=",x,y,z\nx,2,1,0\ny,0,1,0\nz,0,0,1\n")
    assert json.loads(square)["records"] == json.loads(long)["records"]


def test_weights_and_distances_are_read_from_tables(run):
    distance = ",x,y,z\nx,0,1,2\ny,1,0,1\nz,2,1,0\n"
    weights = ",x,y,z\nx,1,.5,0\ny,.5,1,.5\nz,0,.5,1\n"
    options = ("--categories", "x,y,z", "--distance", "d.csv", "--weights", "w.csv", "--json")
    _, out, _ = run("labels.csv", *options, d=distance, w=weights)
    found = {record["coefficient"]: record["estimate"] for record in json.loads(out)["records"]}
    assert found["kappa_weighted"] == pytest.approx(found["kappa_weighted_linear"])
    assert found["ac2_weighted"] == pytest.approx(found["ac2_linear"])
    assert found["alpha_distance"] is not None


def test_the_page_is_one_file_without_network_or_script(run, tmp_path):
    run("labels.csv", "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Krippendorff&#39;s alpha, nominal" in page
    assert "<script" not in page
    assert "http" not in page


def test_what_is_no_agreement_is_refused(run):
    status, out, err = run("labels.csv", "--coefficient", "chi_square")
    assert (status, out) == (1, "")
    assert "chi_square does not measure agreement" in err


@pytest.mark.parametrize(
    "text", ["", "unit,worker,label\n", "unit,worker,label\n1,a,x,y,z\n1,b\n2,a,x,y,z,q\n"]
)
def test_a_file_that_is_no_table_is_refused_without_a_traceback(run, text):
    status, _, err = run("bad.csv", bad=text)
    assert status == 1
    assert err.startswith("error: ")


def test_spans_are_read_with_their_option(run):
    spans = "document,worker,start,end,label,length\nd,a,0,3,X,9\nd,b,0,2,X,9\ne,a,,,,5\ne,b,,,,5\n"
    status, out, _ = run("spans.csv", "--spans", "--json", "--html", "spans.html", spans=spans)
    found = {record["coefficient"]: record["estimate"] for record in json.loads(out)["records"]}
    assert status == 0
    assert (found["span_f1_exact"], found["span_f1_overlap"]) == (0, 1)
    assert found.keys() >= {"token_kappa", "token_alpha", "alpha_u"}
    assert "Unitizing alpha" in run("spans.csv", "--spans", spans=spans)[1]


def test_rows_that_do_not_fit_their_header_are_refused(run):
    """A field more would move every cell by one; a field less would be a label that was not given."""
    head, rows = "unit,worker,label,note\n", "1,a,x,\n1,b,x,\n"
    _, _, err = run("n.csv", n=head + rows.replace(",\n", ",,\n"))
    assert "rows have more fields than the header" in err
    _, _, err = run("n.csv", n=head + rows + "2,a\n")
    assert "n.csv:4: too few fields" in err
    _, _, err = run("n.csv", n=head.replace("note", "label") + rows)
    assert "two columns of one name; got label" in err


def test_a_spreadsheets_table_is_read_with_its_decimal_commas(run):
    """Semicolons part the columns, so a comma stands in numbers; capitals are told with what to do."""
    table = "unit;worker;label\n1;a;1,5\n1;b;1,5\n2;a;3\n2;b;2,5\n"
    _, out, _ = run("n.csv", "--scale", "interval", "--json", n=table)
    _, same, _ = run("n.csv", "--scale", "interval", "--json", n=table.replace(",", ".").replace(";", ","))
    assert json.loads(out)["records"] == json.loads(same)["records"]
    _, _, err = run("n.csv", "--table", n=";x;y\nx;1.234;56\ny;7;89\n")
    assert "thousands or decimals cannot be told; got 1.234 beside" in err
    _, _, err = run("labels.csv", "--categories", "X,y,z")
    assert "Spell both alike: X is a category" in err
