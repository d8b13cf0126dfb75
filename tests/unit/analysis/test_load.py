"""Opening judgments CSVs, frames and bundles."""

from __future__ import annotations

import pandas as pd
import pytest

from analysis import bundle
from analysis.errors import InputError
from analysis.load import load
from analysis.outcomes import measure
from tests.support.random_studies import frame

HEAD = "dataset,document,source,start,end,entity,worker,decision"


def _csv(tmp_path, *lines: str, head: str = HEAD, encoding: str = "utf-8"):
    path = tmp_path / "judgments.csv"
    path.write_text("\n".join([head, *lines, ""]), encoding=encoding)
    return path


def test_every_bad_row_is_listed_with_its_line(tmp_path):
    """Quoted line breaks and blank lines count as lines of the file."""
    path = _csv(
        tmp_path,
        '"d\nd",t,GT,0,3,Q1,w,verify',
        "",
        "d,t,GT,3,3,Q1,w,verify",
        "d,t,GT,x,3,Q1,w,agree",
        "d,t,,-1,3,[[,w,verify",
        "d,t,GT,1",
    )
    with pytest.raises(InputError) as caught:
        load(path)
    found = {(int(p.where.rsplit(":", 1)[1]), p.what.split(":")[0]) for p in caught.value}
    assert found >= {
        (5, "impossible span"),
        (6, "not a whole number"),
        (6, "unknown decision"),
        (7, "not an entity"),
        (7, "not a whole number"),
        (7, "empty"),
        (8, "not a whole number"),
    }


def test_missing_columns_are_all_named(tmp_path):
    with pytest.raises(InputError) as caught:
        load(_csv(tmp_path, head="dataset,document,source,start,end,entity"))
    assert [problem.what for problem in caught.value] == [
        "column 'worker' missing",
        "column 'decision' missing",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"\xff\xfe\x00", "not UTF-8"),
        (HEAD.encode() + b'\nd,t,GT,0,3,"Q1,w', "not a CSV table"),
    ],
)
def test_files_that_are_no_table(tmp_path, content, message):
    path = tmp_path / "x.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        load(path)


def test_more_fields_than_the_header_names_the_line(tmp_path):
    with pytest.raises(InputError, match="line 3"):
        load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify", "d,t,GT,0,3,Q1,w,verify,more,and more"))
    with pytest.raises(InputError, match="more fields than the header"):
        load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify,more"))


def test_a_column_given_twice_and_a_table_without_rows_are_refused(tmp_path):
    with pytest.raises(InputError, match="'worker' appears 2 times"):
        load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify,v", head=f"{HEAD},worker"))
    with pytest.raises(InputError, match="no rows"):
        load(_csv(tmp_path))


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "none.csv")


def test_kinds_of_entity(tmp_path):
    """NIL, no link given and a link are three things; a byte order mark is no part of a name."""
    study = load(
        _csv(
            tmp_path,
            "d,t,GT,0,3,NIL,w,verify",
            "d,t,GT,4,6,,w,remove",
            "d,t,GT,7,9,https://en.wikipedia.org/wiki/Paris,w,verify",
            encoding="utf-8-sig",
        )
    )
    assert study["annotations"].sort_values("start")["kind"].tolist() == ["nil", "none", "link"]
    assert set(study["annotations"]["key"].dropna()) == {"NIL", "w:en:Paris"}


def test_an_empty_decision_is_shown_and_not_judged(tmp_path):
    study = load(_csv(tmp_path, "d,t,GT,0,3,Q1,,", "d,t,GT,4,6,Q2,w,verify"))
    assert study["annotations"]["shown"].all()
    assert measure(study).annotations["judged"].tolist() == [False, True]


@pytest.mark.parametrize(
    ("counted", "judged"), [("", True), ("1", True), ("TRUE", True), ("0", False), ("no", False)]
)
def test_an_empty_counted_counts(tmp_path, counted, judged):
    study = load(_csv(tmp_path, f"d,t,GT,0,3,Q1,w,verify,{counted}", head=f"{HEAD},counted"))
    assert measure(study).annotations["judged"].tolist() == [judged]


def test_a_worker_has_one_voice_per_item_his_last_row(tmp_path):
    """Under own pooling he has one per annotation."""
    study = load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,remove", "d,t,A,0,3,Q1,w,edit", "d,t,GT,0,3,Q1,w,verify"))
    assert measure(study, "recommended").items[["verify", "n"]].to_numpy().tolist() == [[1, 1]]
    assert measure(study, "paper").annotations.set_index("source")["verify"].to_dict() == {"GT": 1, "A": 0}


def test_pooled_rows_are_one_judgment(tmp_path):
    """A judgment repeated for each credited source is stored once and speaks for all of them."""
    study = load(
        _csv(tmp_path, *(f"d,t,{s},0,3,Q1,w,verify,j1" for s in ("GT", "A")), head=f"{HEAD},judgment")
    )
    assert [len(study[name]) for name in ("judgments", "displays", "credits")] == [1, 1, 2]
    assert study["tasks"]["source"].isna().all()
    assert measure(study, "paper").annotations["verify"].tolist() == [1, 1]


def test_rows_of_one_judgment_must_agree(tmp_path):
    rows = ("d,t,GT,0,3,Q1,w,verify,j1", "d,t,A,0,3,Q1,w,remove,j1")
    with pytest.raises(InputError, match=r":3: not the same judgment"):
        load(_csv(tmp_path, *rows, head=f"{HEAD},judgment"))


def test_every_source_ran_on_every_document_of_its_dataset(tmp_path):
    study = load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify", "d,u,A,0,3,Q1,w,verify", "e,v,GT,0,3,Q1,w,verify"))
    ran = study["source_documents"]
    assert list(zip(ran["document"], ran["source"], ran["n"], strict=True)) == [
        ("t", "A", 0), ("t", "GT", 1), ("u", "A", 1), ("u", "GT", 0), ("v", "GT", 1),
    ]  # fmt: skip


def test_the_ground_truth_is_named(tmp_path):
    path = _csv(tmp_path, "d,t,gold,0,3,Q1,w,verify", "d,t,A,0,3,Q1,w,verify")
    assert load(path).ground_truth is None
    assert load(path, gt="gold").ground_truth == "gold"
    with pytest.raises(InputError, match="no such source; got silver; expected A, gold"):
        load(path, gt="silver")


def test_an_annotations_file_adds_what_was_not_shown(tmp_path):
    """A row without span and entity says that the source ran there and found nothing."""
    extra = pd.DataFrame(
        [("d", "t", "GT", 9, 12, "Q9"), ("d", "u", "B", "", "", "")],
        columns=["dataset", "document", "source", "start", "end", "entity"],
    )
    study = load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify"), annotations=extra)
    assert study["annotations"][["start", "shown", "reason"]].to_numpy().tolist()[1] == [
        9,
        False,
        "not_planned",
    ]
    assert set(study["sources"]["source"]) == {"GT", "B"}
    assert set(study["documents"]["document"]) == {"t", "u"}


def test_rows_without_worker_are_voices_of_their_own(tmp_path):
    got = measure(load(_csv(tmp_path, "d,t,GT,0,3,Q1,,verify", "d,t,GT,0,3,Q1,,remove")))
    assert got.anonymous
    assert got.items[["verify", "n"]].to_numpy().tolist() == [[1, 2]]


def test_csv_frame_and_bundle_are_one_study(tmp_path):
    rows = frame(3, rows=30)
    rows.to_csv(tmp_path / "j.csv", index=False)
    study = load(rows)
    bundle.write(study.tables, study.manifest, tmp_path / "b")
    for other in (load(tmp_path / "j.csv"), load(tmp_path / "b"), load(dict(study.tables))):
        for name, table in study.tables.items():
            pd.testing.assert_frame_equal(table, other[name])


def test_another_source_of_a_bundle_can_be_the_ground_truth():
    study = load(dict(load(frame(3)).tables), gt="A")
    assert study.ground_truth == "A"
    with pytest.raises(InputError, match="no such source"):
        load(dict(study.tables), gt="none")


def test_a_study_folder_is_told_from_a_bundle(tmp_path):
    (tmp_path / "study.yaml").touch()
    with pytest.raises(InputError, match="a study folder, not a bundle"):
        load(tmp_path)


def test_a_row_that_breaks_off_is_not_an_unjudged_one(tmp_path):
    """Without quotes and with them."""
    for name in ("d", '"d"'):
        with pytest.raises(InputError, match=r":3: too few fields"):
            load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify", f"{name},t,GT,4,6,Q2,w"))


def test_another_separator_is_named_once(tmp_path):
    with pytest.raises(InputError, match="separated by bars") as caught:
        load(_csv(tmp_path, "d|t|GT|0|3|Q1|w|verify", head=HEAD.replace(",", "|")))
    assert len(list(caught.value)) == 1


@pytest.mark.parametrize(("separator", "encoding"), [(";", "utf-8-sig"), ("\t", "utf-16"), (";", "utf-8")])
def test_a_table_out_of_a_spreadsheet_is_the_same_table(tmp_path, separator, encoding):
    """Semicolons or tabs, a mark before the text, decimal commas, decisions in capitals."""
    plain = load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify,3.5", head=f"{HEAD},seconds"))
    line = "d,t,GT,0,3,Q1,w,VERIFY,3;5".replace(",", separator).replace("3;5", "3,5")
    head = f"{HEAD},seconds".replace(",", separator)
    other = load(_csv(tmp_path, line, head=head, encoding=encoding))
    assert other["judgments"].equals(plain["judgments"])
    assert other["judgments"]["seconds"].tolist() == [3.5]


def test_the_first_line_that_is_not_blank_says_what_parts_columns(tmp_path):
    """Even where lines end with a carriage return alone; capitals of names and blank rows mean nothing."""
    text = "\n  \n" + f"{HEAD.upper()}\n d,t;;;;;;;;;,GT,0,3,Q1,w,verify\n,,,,,,,\n\n,x,GT,0,3,Q1,w,verify\n"
    path = tmp_path / "j.csv"
    for end in ("\n", "\r\n", "\r"):
        path.write_bytes(text.replace("\n", end).encode())
        with pytest.raises(InputError, match=r":7: empty; got dataset") as caught:
            load(path)
        assert len(list(caught.value)) == 1


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (("3,5", "3.5"), "some numbers have a comma and some a point; got 3,5 and 3.5"),
        (("1,234", "87"), "thousands or decimals cannot be told; got 1,234 beside 87"),
        (("1.234", "87"), "thousands or decimals cannot be told; got 1.234 beside 87"),
        (("12,340", "0,350"), ""),
        (("1,234", "1,2"), ""),
    ],
)
def test_a_number_that_may_be_another_is_not_taken(tmp_path, said, wrong):
    lines = [f"d;t;GT;{place};{place + 1};Q1;w;verify;{text}" for place, text in enumerate(said)]
    path = _csv(tmp_path, *lines, head=f"{HEAD},seconds".replace(",", ";"))
    if wrong:
        with pytest.raises(InputError, match=wrong):
            load(path)
    else:
        want = [float(text.replace(",", ".")) for text in said]
        assert load(path)["judgments"]["seconds"].tolist() == want


def test_a_line_for_excel_before_the_names_is_to_be_deleted(tmp_path):
    with pytest.raises(InputError, match=r"names none; got sep=;.*Delete that line"):
        load(_csv(tmp_path, HEAD.replace(",", ";"), "d;t;GT;0;3;Q1;w;verify", head="sep=;"))


def test_bad_rows_of_a_table_with_semicolons_have_their_lines(tmp_path):
    head = HEAD.replace(",", ";")
    with pytest.raises(InputError, match=r":3: unknown decision"):
        load(_csv(tmp_path, "d;t;GT;0;3;Q1;w;verify", 'd;t;GT;0;3;Q1;"w;x";agree', head=head))


def test_who_has_one_dataset_needs_no_column_for_it(tmp_path):
    found = load(_csv(tmp_path, "t,GT,0,3,Q1,w,verify", head=HEAD.removeprefix("dataset,")))
    assert list(found.datasets) == ["corpus"]


def test_columns_may_have_other_names(tmp_path):
    """One that has our name by chance is not ours then; a name that is not there is refused."""
    head = HEAD.replace("worker,decision", "worker,id,what")
    path = _csv(tmp_path, "d,t,GT,0,3,Q1,Anna,w,verify", head=head)
    found = load(path, columns={"worker": "id", "decision": "what"})
    assert found["assignments"]["worker"].tolist() == ["w"]
    with pytest.raises(InputError, match="a column that is not there; got That"):
        load(path, columns={"decision": "That"})
    with pytest.raises(InputError, match="names a column twice; got id"):
        load(path, columns={"worker": "id", "decision": "id"})
    with pytest.raises(InputError, match="no such column; got verdict"):
        load(path, columns={"verdict": "what"})


@pytest.mark.parametrize(("dataset", "message"), [("*", "stands for all"), ("a\0b", "NUL")])
def test_a_dataset_cannot_be_called_so(tmp_path, dataset, message):
    with pytest.raises(InputError, match=message):
        load(_csv(tmp_path, f"{dataset},t,GT,0,3,Q1,w,verify"))


def test_a_bad_row_with_a_very_long_field_still_has_its_line(tmp_path):
    with pytest.raises(InputError, match=r":2: unknown decision"):
        load(_csv(tmp_path, f"d,{'t' * 200_000},GT,0,3,Q1,w,agree"))


def test_a_simulated_crowd_stays_simulated(tmp_path):
    path = _csv(tmp_path, "d,t,GT,0,3,Q1,w,verify,simulated", head=f"{HEAD},origin")
    assert load(path).simulated
    with pytest.raises(InputError, match="unknown origin"):
        load(_csv(tmp_path, "d,t,GT,0,3,Q1,w,verify,dreamt", head=f"{HEAD},origin"))


def test_unknown_words_are_named_once_with_their_number(tmp_path):
    """And with the option that says what one stands for."""
    rows = [f"d,t,GT,{n},{n + 1},Q1,w,{word}" for n, word in enumerate(["Yes", "verify", "yes", "nein"])]
    with pytest.raises(InputError) as caught:
        load(_csv(tmp_path, *rows))
    assert [(p.where[-2:], p.got) for p in caught.value] == [
        (":2", "decision Yes (2 rows, this is the first)"),
        (":5", "decision nein"),
    ]
    assert caught.value.problems[0].remedy.endswith(
        '--value "decision:OURS=Yes" with OURS one of verify, edit, remove.'
    )


def test_words_of_any_column_may_be_replaced():
    """What they are replaced by may be nothing; numbers of a frame are words too."""
    table = pd.DataFrame([("t", "gold", 0, 3, "-", "unknown", 1), ("t", "gold", 4, 6, "Q1", "w", 0)])
    table.columns = HEAD.split(",")[1:]
    values = {
        "source": {"gold": "GT"},
        "entity": {"-": "NIL"},
        "worker": {"unknown": ""},
        "decision": {"1": "verify", "0": "edit"},
    }
    study = load(table, values=values)
    assert study.ground_truth == "GT"
    assert study["annotations"]["kind"].tolist() == ["nil", "link"]
    assert set(study["assignments"]["worker"]) == {"", "w"}
    assert sorted(study["judgments"]["decision"]) == ["edit", "verify"]
